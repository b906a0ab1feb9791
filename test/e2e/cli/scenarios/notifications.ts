import type { ScenarioContext } from '../helpers/run-scenario';

/** The commands of notifications. */
export async function notifications({
  run,
  runOnPipes,
  createClient,
  buyer,
}: ScenarioContext): Promise<void> {
  const [first, second] = (await createClient(buyer).notifications.list({ limit: 10 })).data;
  const as = 'buyer';
  await run('tradepost notifications list', { as });
  await run('tradepost notifications list --unread --limit 2', { as });
  await runOnPipes('tradepost notifications list --all --output csv', { as });
  await runOnPipes('tradepost notifications list --limit 1 --output json', { as });
  await run('tradepost notifications list', { as: 'stranger' });
  await run(`tradepost notifications read ${first?.id}`, { as });
  await runOnPipes(`tradepost notifications read ${second?.id} ${first?.id} --output ndjson`, {
    as,
  });
  await run(`tradepost notifications read ${second?.id} ntf_nosuch`, { as });
  await runOnPipes('tradepost notifications read ntf_nosuch', { as });
  await runOnPipes('tradepost notifications read', { as });
  await run('tradepost notifications read --all --fields read,message', { as });
  await run('tradepost notifications read --all', { as });
  await run('tradepost notifications list --unread', { as });
  await runOnPipes('tradepost notifications list --unread --output csv', { as });
}
