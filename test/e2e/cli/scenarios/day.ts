import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forTest } from '../../../helpers/for-test';
import { findUnusedPort } from '../../../helpers/loopback';
import { runServerCommand } from '../../../helpers/run-server-command';
import { findOrderId } from '../../../helpers/seed';
import { type GatedProxy, startGatedProxy } from '../../../helpers/start-gated-proxy';
import { startHttpReceiver, startReceiver } from '../../../helpers/start-receiver';
import { type ServerProcess, startServerProcess } from '../../../helpers/start-server-process';
import type { CommandOptions, ScenarioContext } from '../helpers/run-scenario';

/** The width of the terminal whose transcript of the day is kept. The transcripts of every command have 80 cells. */
export const dayWidth = 60;

/** What a terminal shows at the second failed attempt. The first one may be that of one request. */
const isReported = /Retrying\s+for\s+up\s+to/;

/** What the parts of the day work with. */
interface Day extends ScenarioContext {
  proxy: GatedProxy;
  /** Creates pending orders of one unit each, which the agent may change. */
  place(count: number): Promise<string[]>;
}

/** The day of a support agent, in one profile: from `login` to `logout`. */
export async function day(context: ScenarioContext): Promise<void> {
  const { server, mask, seed, buyer, createClient } = context;
  const proxy = await startGatedProxy(server.url);
  mask(new URL(proxy.url).host, '127.0.0.1:40200');
  const client = createClient(buyer);
  const listingId = seed.listings[0]?.id ?? '';
  const day: Day = {
    ...context,
    proxy,
    run: (line, options) => context.run(line, { as: 'support', ...options }),
    async place(count) {
      const orders = Array.from({ length: count }, () =>
        client.orders.create({ listingId, quantity: 1 }),
      );
      return (await Promise.all(orders)).map(({ id }) => id);
    },
  };
  await logIn(day);
  await findOrders(day);
  await changeOrder(day);
  await changeManyOrders(day);
  await changeAtOnce(day);
  await readNotifications(day);
  await checkWebhooks(day);
  await watchOrders(day);
  await listen(day);
  await makeMistakes(day);
  await finish(day);
}

async function logIn({ run, proxy, agent }: Day): Promise<void> {
  await run('tradepost whoami');
  await run('tradepost login', {
    keys: [
      [/Service URL/, `${proxy.url}\r`],
      [/API key/, `${agent.apiKey}\r`],
    ],
  });
  await run('tradepost whoami');
  await run('tradepost profiles list');
  await run('tradepost doctor');
}

async function findOrders({ run, seed, buyer }: Day): Promise<void> {
  const list = 'tradepost orders list';
  const listing = seed.listings[0]?.id;
  await run(list);
  await run(`${list} --status pending,confirmed`);
  await run(`${list} --buyer ${buyer.id} --listing ${listing} --updated-since 1h`);
  await run(`${list} --sort createdAt --limit 2`);
  await run(`${list} --names --fields id,status,buyerName,listingTitle`);
  await run(`${list} --status cancelled`);
  await run(`tradepost orders get ${findOrderId(seed, 'completed')}`);
}

async function changeOrder({ run, seed }: Day): Promise<void> {
  const set = 'tradepost orders set-status';
  const [pending, completed] = [findOrderId(seed, 'pending'), findOrderId(seed, 'completed')];
  const confirmed = findOrderId(seed, 'confirmed');
  await run(`${set} ${completed} cancelled --dry-run`);
  await run(`${set} ${completed} cancelled --yes`);
  await run(`${set} ${pending} confirmed --reason 'The buyer has paid by phone.'`);
  await run(`${set} ${pending} confirmed`);
  const cancel = `${set} ${confirmed} cancelled --reason 'The buyer ordered twice.'`;
  await run(cancel, { keys: [[/Cancel ord_/, 'n']] });
  await run(cancel, { keys: [[/Cancel ord_/, 'y']] });
  await run(`tradepost orders get ${confirmed}`);
}

async function changeManyOrders({ run, place, proxy, folder }: Day): Promise<void> {
  const change = 'tradepost orders set-status confirmed --stdin --if-status pending';
  await writeFile(join(folder, 'orders.txt'), (await place(150)).join('\n'));
  await run(`${change} --dry-run < orders.txt`);
  proxy.rejectAfter(50);
  await run(`${change} --yes < orders.txt`, {
    async meanwhile({ shows }) {
      await shows(isReported);
      await proxy.restore();
    },
  });
  await run(`${change} --yes < orders.txt`);
  const fulfil = change.replace('confirmed', 'fulfilling');
  await run(`head -n 2 orders.txt | ${fulfil} --fail-on-skip`, {
    keys: [[/Move 2 pending/, 'y']],
  });

  await writeFile(join(folder, 'more.txt'), (await place(40)).join('\n'));
  const held = proxy.holdAfter(20, 8);
  await run('tradepost orders set-status confirmed --stdin --yes < more.txt', {
    async meanwhile({ shows, type }) {
      await held;
      type('\u0003');
      await shows(/Press Ctrl-C again/);
      proxy.release();
    },
  });
  // Without the journals: how much of their names is shown depends on where they differ.
  const jobs =
    'tradepost jobs list --fields createdAt,state,status,orders,done,skipped,failed,left';
  await run(jobs);
  await run('tradepost orders set-status --resume latest', { keys: [[/\?/, 'y']] });
  await run(jobs);
}

/** Two people at once: one as the agent, one as the seller. */
async function changeAtOnce({ run, place, proxy, seller, folder }: Day): Promise<void> {
  await writeFile(join(folder, 'colleague.key'), `${seller.apiKey}\n`);
  await writeFile(join(folder, 'both.txt'), (await place(40)).join('\n'));
  const profile = '--profile colleague';
  await run(
    `tradepost login ${profile} --key-stdin --base-url ${proxy.url} --jq .accountName < colleague.key`,
  );
  await run('tradepost profiles use default');
  const change = [
    'tradepost orders set-status confirmed --stdin --if-status pending --yes --no-journal',
    `--jq '.[] | select(.outcome == "updated").id' < both.txt 2> /dev/null`,
  ].join(' ');
  await run(
    `${change} > mine & ${change} ${profile} > theirs; wait; cat mine theirs | wc -l; sort -u mine theirs | wc -l`,
  );
}

async function readNotifications({ run, seed }: Day): Promise<void> {
  const read = 'tradepost notifications read';
  // Without messages: how much of their IDs is shown depends on where they differ.
  await run('tradepost notifications list --unread --limit 3 --fields id,type,orderId');
  await run(`${read} --order ${findOrderId(seed, 'pending')} --dry-run`);
  await run(`${read} --all --jq length`, { keys: [[/as read\?/, 'n']] });
  await run(`${read} --all --jq length`, { keys: [[/as read\?/, 'y']] });
  await run('tradepost notifications list --unread');
}

async function checkWebhooks({ run, mask, createClient, agent, folder }: Day): Promise<void> {
  let status = 503;
  const receiver = await forTest(startReceiver(() => status));
  mask(receiver.url, 'https://127.0.0.1:44300/deliveries');
  const client = createClient(agent);
  const events = 'order.created,order.status_changed';
  await run(
    `tradepost webhooks register --url ${receiver.url} --events ${events} --secret-file live.secret`,
  );
  const [webhook] = (await client.webhooks.list({ limit: 1 })).data;
  await run(`tradepost webhooks get ${webhook?.id}`);
  const test = `tradepost webhooks test ${webhook?.id} --wait --fields state,lastStatus --event`;
  await run(`${test} order.created`);
  status = 204;
  await run(`${test} order.status_changed`);
  await run('tradepost webhooks deliveries');
  const [delivered, failed] = (await client.deliveries.list({ limit: 2 })).data;
  await run(`tradepost webhooks explain ${failed?.id}`);
  await run(`tradepost webhooks explain ${delivered?.id} --body-file body.json`);

  const { attempts } = await client.deliveries.get(`${delivered?.id}`);
  const signature = attempts[0]?.headers['Service-Signature'];
  const verify = 'tradepost webhooks verify --secret-file live.secret --body-file body.json';
  await run(`${verify} --signature ${signature}`);
  await writeFile(join(folder, 'other.json'), '{}');
  await run(`${verify.replace('body.json', 'other.json')} --signature ${signature}`);
  await run(`${verify} --signature ${signature} --header 'Service-Signature: ${'0'.repeat(64)}'`);

  const rotate = `tradepost webhooks rotate-secret ${webhook?.id}`;
  await run(`${rotate} --secret-file next.secret`);
  await run(`${rotate} --promote`, { keys: [[/Promote the staged secret/, 'y']] });
  await run(`tradepost webhooks pause ${webhook?.id} --fields id,status`);
  await run(`tradepost webhooks resume ${webhook?.id} --fields id,status`);
  const sent = receiver.arrivals.length;
  await run('tradepost webhooks replay --failed --dry-run');
  await run(`tradepost webhooks replay ${failed?.id}`);
  await receiver.until((arrivals) => arrivals.length > sent);
  await run(`tradepost webhooks delete ${webhook?.id}`, { keys: [[/Delete whk_/, 'y']] });
}

/** Starts the same service again, at the same address. */
async function restart({ url, database }: ServerProcess): Promise<void> {
  const port = new URL(url).port;
  await forTest(startServerProcess(database, ['--port', port, '--rate-limit', '1000000']));
}

async function watchOrders(day: Day): Promise<void> {
  const { run, place, proxy, server, createClient, seller } = day;
  const [before, after] = await place(2);
  const confirm = (id: string | undefined) =>
    createClient(seller).orders.update(`${id}`, { status: 'confirmed' });
  await run('tradepost orders watch', {
    async meanwhile({ shows }) {
      await shows(/Watching orders/);
      await confirm(before);
      await shows(/confirmed/);
      proxy.cutOff();
      await shows(isReported);
      await server.stop('SIGKILL');
      await restart(server);
      await proxy.restore();
      await shows(/Reconnected\./);
      await confirm(after);
    },
    until: /Reconnected\.[\s\S]*confirmed/,
  });
}

async function listen({ run, mask }: Day): Promise<void> {
  const receiver = await forTest(startHttpReceiver());
  mask(receiver.url, 'http://127.0.0.1:44500/deliveries');
  const secrets: unknown[] = [];
  for (const _ of [1, 2]) {
    const shown = await run(`tradepost webhooks listen --forward-to ${receiver.url}`, {
      until: /waiting for events/,
    });
    secrets.push(/whsec_[\w+/=]+/.exec(shown)?.[0]);
  }
  if (secrets[0] === undefined || secrets[0] !== secrets[1]) {
    throw new Error(`The secret is not the same in the second run: ${secrets.join(' ')}`);
  }
}

async function makeMistakes({ run, mask, seed, agent, server }: Day): Promise<void> {
  const pending = findOrderId(seed, 'pending');
  const revoked = await runServerCommand<{ id: string; apiKey: string }>(
    ['keys', 'create', '--account', agent.id],
    server.database,
  );
  await runServerCommand(['keys', 'revoke', revoked.id], server.database);
  mask(revoked.apiKey, 'tpk_revoked');
  const key = (apiKey: string): CommandOptions => ({ env: { TRADEPOST_API_KEY: apiKey } });
  await run('tradepost orders list --limit 2 --limit 3');
  await run(`tradepost orders update ${pending} confirmed`);
  await run(`tradepost orders view ${pending}`);
  await run('tradepost orders list --limit 1 --json');
  await run('tradepost orders list --fields id,state');
  await run('tradepost orders list --status shipped');
  await run(`tradepost orders set-status ${pending}`);
  await run('tradepost orders get ord_0');
  await run('tradepost orders list', key('tpk_nosuch'));
  await run('tradepost orders list', key(revoked.apiKey));
  const nowhere = `http://127.0.0.1:${await findUnusedPort()}`;
  mask(nowhere.slice('http://'.length), '127.0.0.1:40300');
  await run(`tradepost orders list --base-url ${nowhere}`);
  await run(`tradepost orders list --base-url ${nowhere}`, key('tpk_nosuch'));
  await run('tradepost orders list --profile nosuch');
}

async function finish({ run }: Day): Promise<void> {
  await run('tradepost api GET /v1/orders --paginate --jq length');
  await run('tradepost orders set-status --help');
  await run('tradepost webhooks verify --help');
  await run('tradepost completion bash | head -n 3');
  await run('tradepost logout --profile colleague');
  await run('tradepost logout');
  await run('tradepost whoami');
}
