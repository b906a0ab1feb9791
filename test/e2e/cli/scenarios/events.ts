import type { ScenarioContext } from '../helpers/run-scenario';

/** The commands of the event log. */
export async function events(context: ScenarioContext): Promise<void> {
  const { run, runOnPipes, seed } = context;
  await run('tradepost events list');
  await run('tradepost events list --since 2h --limit 2 --output json');
  await run(`tradepost events list --order ${seed.orders[0]?.id} --until 2099-01-01`);
  const [event] = (await context.createClient(context.seller).events.latest({ limit: 1 })).data;
  await run(`tradepost events get ${event?.id}`);
  await run('tradepost events list --type order.created --all --output ndjson');
  await runOnPipes('tradepost events list --limit 1 --output csv', { as: 'buyer' });
  await run("tradepost events list --all --output ndjson --jq '[.event, .data.orderId] | @tsv'");
  await run('tradepost events list --since 2099-01-01');
  await runOnPipes('tradepost events list --type order.updated');
}
