import type { ScenarioContext } from '../helpers/run-scenario';

/** The commands of notifications. */
export async function notifications({
  mode,
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
  const ofOrder = `--order ${first?.orderId}`;
  await runOnPipes(`tradepost notifications list ${ofOrder} --type order_created`, { as });
  await runOnPipes('tradepost notifications read --type order.created', { as });
  await run('tradepost notifications read --type order_created --dry-run', { as });
  await runOnPipes(`tradepost notifications read ${ofOrder} --yes`, { as });
  const all = 'tradepost notifications read --all';
  if (mode === 'pipes') {
    await run(all, { as });
  } else {
    await run(all, { as, keys: [[/Mark 15 notifications as read/, 'n']] });
    await run(all, { as, keys: [[/Mark 15 notifications as read/, '\u0003']] });
  }
  await run(`${all} --yes --fields read,message`, { as });
  await run(all, { as });
  await run('tradepost notifications list --unread', { as });
  await runOnPipes('tradepost notifications list --unread --output csv', { as });
}
