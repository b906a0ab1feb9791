import type { ScenarioContext } from '../helpers/run-scenario';

/** The commands of the event log. */
export async function events({ run, runOnPipes }: ScenarioContext): Promise<void> {
  await run('tradepost events list');
  const [event] = JSON.parse(await run('tradepost events list --since 2h --limit 2 --output json'));
  await run(`tradepost events get ${event.id}`);
  await runOnPipes(`tradepost events list --order ${event.data.orderId} --until 2099-01-01`);
  await run('tradepost events list --type order.created --all --output ndjson');
  await runOnPipes('tradepost events list --limit 1 --output csv', { as: 'buyer' });
  await run("tradepost events list --all --output ndjson --jq '[.event, .data.orderId] | @tsv'");
  await run('tradepost events list --since 2099-01-01');
  await runOnPipes('tradepost events list --type order.updated');
}
