import { findOrderId } from '../../../helpers/seed';
import type { ScenarioContext } from '../helpers/run-scenario';

/** Errors and their messages. */
export async function errors({ run, runOnPipes, url, seed }: ScenarioContext): Promise<void> {
  const pending = findOrderId(seed, 'pending');
  const json = ' --output json';
  const key = 'tpk_0123456789abcdef';

  await run('tradepost orders lst');
  await runOnPipes(`tradepost orders lst${json}`);
  await runOnPipes(`tradepost orders cancel ${pending}`);
  await runOnPipes('tradepost auth login');
  await runOnPipes('tradepost orders list --colour red');
  await runOnPipes('tradepost orders list --format json');
  await runOnPipes('tradepost orders list --limit=all');
  await runOnPipes('tradepost orders list --since 2d --since 1d');
  await runOnPipes('tradepost orders list --json -o csv');
  await runOnPipes('tradepost orders list --output yaml');
  await runOnPipes('tradepost orders list --status open');
  await runOnPipes('tradepost orders list --limit 0');
  await runOnPipes('tradepost orders list --since tomorrow');
  await runOnPipes('tradepost orders list --all --limit 3');
  await runOnPipes('tradepost orders list --fields id,colour');
  await run("tradepost orders list --jq '.[' ");
  await runOnPipes('tradepost orders list --output csv --jq .');
  await runOnPipes('tradepost orders get');
  await runOnPipes('tradepost orders get 4711');
  await runOnPipes(`tradepost webhooks get ${pending} ${pending}`);
  await runOnPipes(`tradepost orders get ${key}`);
  await runOnPipes(`tradepost orders list --api-key=${key}`);
  await runOnPipes('tradepost orders create --listing lst_1 --quantity 1.5');

  await runOnPipes('tradepost orders list', { env: { TRADEPOST_API_KEY: '' } });
  await run(`tradepost orders list${json}`, { env: { TRADEPOST_API_KEY: 'tpk_nosuch' } });
  await run('tradepost orders list', { env: { TRADEPOST_API_KEY: 'tpk_nosuch' } });
  await runOnPipes('tradepost orders list', { env: { TRADEPOST_BASE_URL: '' } });
  await runOnPipes('tradepost orders list --base-url trade.example');
  await runOnPipes(`tradepost orders list --base-url ${url}/shop`);
  await runOnPipes('tradepost orders list --base-url http://127.0.0.1:1');
  await runOnPipes(`tradepost orders get ${pending}`, { as: 'stranger' });
  await runOnPipes(`tradepost orders get ${pending}${json}`, { as: 'stranger' });
  await runOnPipes(`tradepost orders set-status ${pending} confirmed`, { as: 'buyer' });
  await run(`tradepost orders set-status ${findOrderId(seed, 'cancelled')} confirmed`);
  await runOnPipes('tradepost orders create --listing lst_nosuch --quantity 1', { as: 'buyer' });
  await runOnPipes('tradepost orders list --debug /dev/null/debug.json');
  await runOnPipes('tradepost orders list --all > /dev/full');
  await runOnPipes('tradepost orders list --all --output json | head -n 1');
  await runOnPipes(
    'tradepost orders list --debug debug.ndjson --limit 1 --output csv --fields status',
  );
  await runOnPipes("grep -c 'tpk_' debug.ndjson");
}
