import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeliveryDetails, Tradepost } from '@tradepost/sdk';
import type { SeededAccount } from '@tradepost/server';
import { createIdBook } from '../../docs/id-book';
import { runCli } from '../../helpers/run-cli';
import { runServerCommand } from '../../helpers/run-server-command';
import type { SeededServer } from '../../helpers/start-seeded-server';
import { tradepostEnvironment } from '../../helpers/tradepost-shell';

/** All that an example needs to run: real ids in it, and the files that it reads. */
export interface StagedExample {
  /** The line with real ids and addresses. */
  line: string;
  /** The folder to run it in: a home with two logins, `default` and `staging`. */
  folder: string;
  env: Record<string, string>;
  /** The webhook that is its own, if it is about webhooks. */
  webhook: string | null;
}

/** A webhook, a delivery of it that failed, and one that arrived. */
async function addDeliveries(client: Tradepost, receiver: string) {
  const { webhooks, deliveries } = client;
  const { id, secret } = await webhooks.create({
    url: `${receiver}/down`,
    events: ['task.completed'],
  });
  async function sample(): Promise<DeliveryDetails> {
    const { id: delivery } = await webhooks.test(id, { event: 'order.created' });
    for (;;) {
      const details = await deliveries.get(delivery);
      if (details.state !== 'pending') return details;
    }
  }
  const failed = await sample();
  await webhooks.update(id, { url: receiver });
  const arrived = await sample();
  await webhooks.stageSecret(id);
  return { id, secret, failed: failed.id, arrived };
}

/** Makes a listing that many orders can be placed from, and its owner's orders. */
async function addOrder(seeded: SeededServer, seller: SeededAccount) {
  const listing = await runServerCommand<{ id: string }>(
    ['listings', 'create', '--seller', seller.id, '--quantity', '1000'],
    seeded.server.database,
  );
  const { orders } = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.buyer.apiKey });
  const place = async () => (await orders.create({ listingId: listing.id, quantity: 1 })).id;
  return { listing: listing.id, order: await place(), place };
}

/**
 * Prepares examples: each has ids and files of its own.
 *
 * @param receiver acknowledges deliveries, except at its path `/down`
 */
export async function startExampleWorld(seeded: SeededServer, receiver: string) {
  const { server, seller, buyer } = seeded;
  const client = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const { listing, place } = await addOrder(seeded, seller);
  const [notification] = (await client.notifications.list({ limit: 1 })).data;

  const logins = await mkdtemp(join(tmpdir(), 'tradepost-logins-'));
  for (const name of ['staging', 'default']) {
    const login = ['login', '--key-stdin', '--profile', name, '--base-url', server.url];
    await runCli(login, { TRADEPOST_CONFIG_DIR: logins }, seller.apiKey);
  }

  async function stage(example: string): Promise<StagedExample> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-example-'));
    // An account may have few webhooks at a time.
    const webhook = / webhooks /.test(example) ? await addDeliveries(client, receiver) : null;
    const headers: Record<string, string> = webhook?.arrived.attempts[0]?.headers ?? {};
    const order = await place();
    const ids = createIdBook({
      ord: [order],
      lst: [listing],
      ntf: [notification?.id ?? ''],
      whk: webhook === null ? [] : [webhook.id],
      dlv: webhook === null ? [] : [webhook.failed],
      evt: webhook === null ? [] : [webhook.arrived.eventId],
    });
    const line = ids
      .toReal(example)
      .replaceAll(/https:\/\/(staging\.)?trade\.example/g, server.url)
      .replaceAll('http://127.0.0.1:3000/webhooks', receiver)
      .replaceAll('2f0c…e1', headers['Service-Signature'] ?? '')
      .replaceAll('1795253400', headers['webhook-timestamp'] ?? '')
      .replaceAll('v1,m7…=', headers['webhook-signature'] ?? '');

    const isNew = / register /.test(line);
    await Promise.all([
      writeFile(join(folder, 'orders.csv'), `id,status\n${order},pending\n`),
      writeFile(join(folder, 'key.txt'), `${seller.apiKey}\n`),
      ...(webhook === null ? [] : [writeFile(join(folder, 'body.json'), webhook.arrived.body)]),
      ...(webhook === null || isNew
        ? []
        : [writeFile(join(folder, 'webhook.secret'), webhook.secret)]),
      // Where the shells look for completions.
      ...['.local/share/bash-completion/completions', '.zfunc', '.config/fish/completions'].map(
        (path) => mkdir(join(folder, path), { recursive: true }),
      ),
    ]);
    const home = {
      ...tradepostEnvironment,
      HOME: folder,
      PROFILE: join(folder, 'profile.ps1'),
      TRADEPOST_CONFIG_DIR: join(folder, 'config'),
      TRADEPOST_STATE_DIR: join(folder, 'state'),
    };
    const key = line.includes(' orders create ') ? buyer.apiKey : seller.apiKey;
    const isOfLogins = /--profile|logout|login|profiles/.test(line);
    if (isOfLogins) await cp(logins, home.TRADEPOST_CONFIG_DIR, { recursive: true });
    const settings = { TRADEPOST_BASE_URL: server.url, TRADEPOST_API_KEY: key };
    const env = isOfLogins ? home : { ...home, ...settings };
    return { line, folder, env, webhook: webhook?.id ?? null };
  }

  return {
    stage,
    /** Places an order and cancels it: something for those who follow orders. */
    async cancelOrder(): Promise<void> {
      await client.orders.update(await place(), { status: 'cancelled' });
    },
    close: () => rm(logins, { recursive: true, force: true }),
    /** Removes what an example had. */
    async clear({ folder, webhook }: StagedExample): Promise<void> {
      await rm(folder, { recursive: true, force: true });
      // The example itself may have removed it.
      if (webhook !== null) await client.webhooks.delete(webhook).catch(() => {});
    },
  };
}
