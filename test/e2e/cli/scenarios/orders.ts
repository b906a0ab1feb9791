import { findOrderId } from '../../../helpers/seed';
import type { ScenarioContext } from '../helpers/run-scenario';

/** The commands of orders. */
export async function orders({
  mode,
  run,
  runOnPipes,
  seed,
  createClient,
  buyer,
}: ScenarioContext): Promise<void> {
  const pending = findOrderId(seed, 'pending');
  const completed = findOrderId(seed, 'completed');
  const listing = seed.listings[1]?.id;

  await run('tradepost orders list');
  await run('tradepost orders list --status pending --fields id,status,quantity,createdAt');
  await run('tradepost orders list --status pending,confirmed --sort createdAt --limit 3');
  await runOnPipes('tradepost orders list --names --limit 2 --output csv');
  await run('tradepost orders list --buyer harbour --quantity 5.. --since today --limit 1');
  await run('tradepost orders list --seller nobody', { as: 'buyer' });
  await run('tradepost orders count --status pending,confirmed');
  await runOnPipes('tradepost orders count --since 1h --output json');
  await run('tradepost orders list --status pending', { as: 'stranger' });
  await runOnPipes('tradepost orders list --limit 1 --output json', { as: 'buyer' });
  await run('tradepost orders list --limit 2 --fail-if-truncated --output csv');
  await runOnPipes('tradepost orders list --since 1h --until 2099-01-01 --all --output csv');
  await runOnPipes('tradepost orders list --all --output ndjson --fields id,status');
  await run("tradepost orders list --jq '[.[].quantity] | add'", { as: 'agent' });
  await runOnPipes('tradepost orders list --status cancelled', { env: { FORCE_COLOR: '0' } });
  await run(`tradepost orders get ${pending}`);
  await run(`tradepost orders timeline ${pending}`);
  await runOnPipes(`tradepost orders timeline ${pending} --output json`);
  await runOnPipes(`tradepost orders get ${pending} --output json`);
  await runOnPipes(`tradepost orders get ${pending} --output csv`, { as: 'buyer' });
  await run(`tradepost orders get ${pending} ${completed} ord_0`);
  const rows = `'Order No.;Status' '${pending};cancelled' '${completed};'`;
  const sheet = `printf '%s\\r\\n' ${rows}`;
  await runOnPipes(`${sheet} | tradepost orders get --stdin --output csv --fields id,status`);

  const create = `tradepost orders create --listing ${listing} --quantity 3`;
  await run(`${create} --idempotency-key ticket-4711`, { as: 'buyer' });
  await runOnPipes(`${create} --idempotency-key ticket-4711 --jq .quantity`, { as: 'buyer' });
  await runOnPipes(`${create}0 --idempotency-key ticket-4711`, { as: 'buyer' });

  await run(`tradepost orders set-status ${pending} confirmed --reason 'The buyer has paid.'`);
  await run(`tradepost orders get ${pending}`);
  await runOnPipes(`tradepost orders set-status ${pending} confirmed --output json`);
  await run(`tradepost orders set-status ${pending} cancelled --if-status pending`);
  await run(`tradepost orders set-status ${completed} pending`);

  const more = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await createClient(buyer).orders.create({
      listingId: `${listing}`,
      quantity: 1,
    });
    more.push(id);
  }
  const several = `tradepost orders set-status ${more.join(' ')} confirmed`;
  await run(`${several} --dry-run`);
  if (mode === 'pipes') await run(several);
  else await run(several, { keys: [[/Move 3 orders/, 'n']] });
  const some = `tradepost orders set-status ${completed} ${more[0]} fulfilling`;
  await run(`${some} --yes --journal result.ndjson`);
  await run('tradepost orders set-status --resume result.ndjson --yes --output csv');
  if (mode === 'pipes') await run(`${several} --yes --no-journal --concurrency 1 --max-failures 1`);
  else await run(`${several} --no-journal --concurrency 1`, { keys: [[/Move 3 orders/, 'y']] });

  await run('tradepost jobs list --fields state,status,orders,done,failed,left');
  await run('tradepost jobs show result.ndjson');
  await runOnPipes(
    'tradepost jobs show result.ndjson --undo --excel --separator , --fields id,to,now,undo,quantity,buyerName',
  );
  const undo = 'tradepost orders set-status --stdin --status-column undo --dry-run';
  await runOnPipes(`tradepost jobs show result.ndjson --undo --output csv | ${undo}`);

  const list = 'tradepost orders list --status confirmed --all --output ndjson';
  const pipe = `${list} | tradepost orders set-status fulfilling --stdin --yes`;
  await run(`${pipe} --concurrency 1 --fields id,outcome,from,to`);
  await run('tradepost orders set-status fulfilling --stdin --dry-run');
  await runOnPipes(
    `${sheet} | tradepost orders set-status --stdin --status-column Status --dry-run`,
  );

  await run(`tradepost api GET /v1/orders/${pending}`);
  await run('tradepost mcp < /dev/null');

  await run('tradepost orders watch --since 1h --status completed,cancelled', {
    until: /cancelled/,
  });
  await run(`tradepost orders watch ${pending} --since 1h --output ndjson`, {
    until: /"to":"fulfilling"/,
  });
}
