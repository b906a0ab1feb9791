import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registerWebhook } from '../../../helpers/register-webhook';
import { startFaultyReceiver } from '../../../helpers/start-faulty-receiver';
import { startHttpReceiver, startReceiver } from '../../../helpers/start-receiver';
import type { ScenarioContext } from '../helpers/run-scenario';

const register = 'tradepost webhooks register';

/** The commands of webhooks and deliveries. */
export async function webhooks(context: ScenarioContext): Promise<void> {
  let status = 503;
  const receiver = await startReceiver(() => status);
  const resetting = await startFaultyReceiver((socket) => socket.resetAndDestroy());
  context.mask(receiver.url, 'https://127.0.0.1:44300/deliveries');
  context.mask(resetting.url, 'http://127.0.0.1:44400/');
  try {
    await manage(context);
    await deliver(context, { receiver: receiver.url, resetting: resetting.url }, () => {
      status = 204;
    });
    await listen(context);
    await probe(context);
  } finally {
    await receiver.close();
    await resetting.close();
  }
}

async function manage({
  mode,
  run,
  runOnPipes,
  createClient,
  seller,
}: ScenarioContext): Promise<void> {
  const client = createClient(seller);
  const url = '--url https://receiver.example/tradepost';
  await run('tradepost webhooks list');
  await run(`${register} ${url} --events order.created,order.status_changed`);
  await run(
    `${register} ${url} --events task.completed --secret-file webhook.secret --output json`,
  );
  await runOnPipes(`${register} ${url} --events task.completed --secret-file webhook.secret`);
  await runOnPipes(`${register} --url https://me:word@receiver.example/ --events order.created`);
  await runOnPipes(`${register} --url ftp://receiver.example/ --events order.created`);
  await runOnPipes(`${register} ${url} --events order.create`);
  const [second, first] = (await client.webhooks.list({ limit: 10 })).data;
  await run('tradepost webhooks list');
  // Nothing was sent yet: a latency would make a column wider at times.
  await run('tradepost webhooks list --stats');
  await runOnPipes('tradepost webhooks list --limit 1 --output json');
  await runOnPipes("tradepost webhooks list --all --jq '.[] | .status'");
  await run(`tradepost webhooks get ${first?.id}`);
  await run('tradepost webhooks get whk_nosuch');
  await run(`tradepost webhooks stats ${first?.id} --window 1h`);
  await runOnPipes(`tradepost webhooks stats ${first?.id} --jq .totals`);
  await runOnPipes(`tradepost webhooks update ${first?.id} --events order.created --output csv`);
  await runOnPipes(`tradepost webhooks update ${first?.id}`);
  await run(`tradepost webhooks pause ${first?.id}`);
  await runOnPipes(`tradepost webhooks test ${first?.id} --event order.created`);
  await run(`tradepost webhooks resume ${first?.id} --fields id,status`);
  await runOnPipes(`tradepost webhooks rotate-secret ${first?.id} --promote --yes`);
  await run(`tradepost webhooks rotate-secret ${first?.id} --secret-file next.secret`);
  await runOnPipes(`tradepost webhooks rotate-secret ${first?.id} --output json`);
  await runOnPipes(`tradepost webhooks rotate-secret ${first?.id} --output json --yes`);
  const promote = `tradepost webhooks rotate-secret ${first?.id} --promote`;
  const remove = `tradepost webhooks delete ${first?.id}`;
  if (mode === 'pipes') {
    await run(promote);
    await run(`${promote} --yes --fields id,stagedSecretAt`);
    await run(remove);
    await run(`${remove} --yes`);
  } else {
    await run(promote, { keys: [[/Promote the staged secret/, 'y']] });
    await run(remove, { keys: [[/Delete whk_/, '\r']] });
    await run(remove, { keys: [[/Delete whk_/, '\u0003']] });
    await run(remove, { keys: [[/Delete whk_/, 'y']] });
  }
  await run(`tradepost webhooks delete ${second?.id} --yes --output json`);
}

async function deliver(
  { mode, run, runOnPipes, createClient, seller, folder }: ScenarioContext,
  urls: { receiver: string; resetting: string },
  fixReceiver: () => void,
): Promise<void> {
  const client = createClient(seller);
  const { id, secret } = await registerWebhook(client, {
    url: urls.receiver,
    events: ['listing.availability_low'],
  });
  await writeFile(join(folder, 'live.secret'), secret);
  await run('tradepost webhooks deliveries');
  const test = `tradepost webhooks test ${id} --event order.status_changed`;
  await run(`${test} --wait`);
  await run(`tradepost webhooks update ${id} --url ${urls.resetting} --jq .url`);
  await run(`${test} --wait --timeout 20s --output json`);
  const [reset, rejected] = (await client.deliveries.list({ limit: 10 })).data;
  await run('tradepost webhooks deliveries');
  await runOnPipes(
    'tradepost webhooks deliveries --state failed --status-class 5xx --since 6h --output json',
  );
  await runOnPipes(`tradepost webhooks deliveries --webhook ${id} --event order.created`);
  await run(`tradepost webhooks explain ${rejected?.id}`);
  await runOnPipes(`tradepost webhooks explain ${reset?.id} --secret-file live.secret --jq .hints`);
  await runOnPipes(`tradepost webhooks explain ${reset?.id} --body-file sent.json --jq .verdict`);
  await runOnPipes(`tradepost webhooks explain ${reset?.id} --body-file sent.json`);
  await runOnPipes('tradepost webhooks explain dlv_nosuch');
  await runOnPipes('tradepost webhooks list');
  await runOnPipes("tradepost webhooks list --jq '.[] | {failed, successRate}' --stats");
  await runOnPipes('tradepost webhooks list --fields id,failed,successRate --output csv');
  await run(`tradepost webhooks explain ${id}`);
  await runOnPipes(`tradepost webhooks resume ${id} --fields id,status`);

  fixReceiver();
  await client.webhooks.update(id, { url: urls.receiver });
  await run('tradepost webhooks replay --failed --dry-run');
  const all = `tradepost webhooks replay --failed --webhook ${id} --rate 10/s`;
  if (mode === 'pipes') {
    await run(all);
    await run(`${all} --yes --wait`);
  } else {
    await run(all, { keys: [[/Replay 2 failed deliveries/, 'n']] });
    await run(all, { keys: [[/Replay 2 failed deliveries/, 'y']] });
  }
  await runOnPipes('tradepost webhooks replay --failed --status-class 4xx');
  await runOnPipes('tradepost webhooks replay');
  await run(`tradepost webhooks retry ${id} --yes`);
  await run(`${test} --wait --fields event,state,test,attempts,lastStatus`);
  const [delivered] = (await client.deliveries.list({ limit: 1 })).data;
  await run(`tradepost webhooks explain ${delivered?.id}`);
  await runOnPipes(`tradepost webhooks replay ${delivered?.id} --output ndjson`);

  const { body, attempts } = await client.deliveries.get(`${delivered?.id}`);
  await writeFile(join(folder, 'body.json'), body);
  const signature = attempts[0]?.headers['Service-Signature'];
  const verify = 'tradepost webhooks verify --secret-file live.secret';
  await run(`${verify} --signature ${signature} --body-file body.json`);
  await runOnPipes(`${verify} --header 'Service-Signature: ${signature}' --jq .event < body.json`);
  await runOnPipes(`echo '{}' | ${verify} --signature ${signature}`);
  await runOnPipes(`${verify} --body-file body.json`);
}

async function listen({ run, runOnPipes, mask, url }: ScenarioContext): Promise<void> {
  const receiver = await startHttpReceiver();
  mask(receiver.url, 'http://127.0.0.1:44500/deliveries');
  const to = 'tradepost webhooks listen --forward-to';
  const since = '--since 1h --events order.created --max-attempts 1';
  try {
    await run(`${to} ${receiver.url} ${since} --fields id,event,status,attempts`, {
      // One for each order of the demo data.
      until: /(?:evt_\w+ +order\.created +204.*){6}/s,
    });
    await runOnPipes(`${to} ${url}/v1/nowhere ${since}`);
    await runOnPipes(`${to} ${receiver.url} --output json`);
    await runOnPipes(`${to} mailto:orders@trade.example`);
  } finally {
    await receiver.close();
  }
}

async function probe({ run, runOnPipes, mask }: ScenarioContext): Promise<void> {
  const receiver = await startHttpReceiver();
  mask(receiver.url, 'http://127.0.0.1:44600/deliveries');
  const command = 'tradepost webhooks probe';
  try {
    await run(`${command} ${receiver.url} --secret-file live.secret`);
    await runOnPipes(`${command} ${receiver.url} --secret-file live.secret --jq .counts`);
    await runOnPipes(`${command} https://receiver.example/ --secret-file live.secret`);
  } finally {
    await receiver.close();
  }
}
