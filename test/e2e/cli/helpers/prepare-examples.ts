import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeliveryDetails, type EventType, Tradepost } from '@tradepost/sdk';
import { exampleSecret } from '@tradepost/sdk/testing';
import { webhookReceiver } from '@tradepost/sdk/webhooks';
import type { SeededAccount } from '@tradepost/server';
import { createIdMapping } from '../../../docs/output';
import { startHttpServer } from '../../../helpers/loopback';
import { tradepostEnvironment } from '../../../helpers/programs';
import { registerWebhook } from '../../../helpers/register-webhook';
import { runCli } from '../../../helpers/run-cli';
import { runServerCommand } from '../../../helpers/run-server-command';
import type { SeededServer } from '../../../helpers/start-seeded-server';

/** An example with real IDs, and the files that it reads. */
export interface PreparedExample {
  /** The line with real IDs and URLs. */
  line: string;
  /** The folder to run it in: a home with two profiles, `default` and `staging`. */
  folder: string;
  env: Record<string, string>;
  /** The webhook of an example about webhooks. */
  webhook: string | null;
}

/** Creates a webhook with a failed delivery and one that arrived. */
async function addDeliveries(client: Tradepost, receiver: string, event: EventType) {
  const { webhooks, deliveries } = client;
  const { id, secret } = await registerWebhook(
    { webhooks },
    {
      url: `${receiver}/down`,
      events: [event],
    },
  );
  async function sendTestEvent(): Promise<DeliveryDetails> {
    const { id: delivery } = await webhooks.test(id, { event: 'order.created' });
    for (;;) {
      const details = await deliveries.get(delivery);
      if (details.state !== 'pending') return details;
    }
  }
  const failed = await sendTestEvent();
  await webhooks.update(id, { url: receiver });
  const arrived = await sendTestEvent();
  return { id, secret, failed: failed.id, arrived };
}

/** Creates a listing with enough units for many orders. `place` creates one. */
async function addListing(seeded: SeededServer, seller: SeededAccount) {
  const listing = await runServerCommand<{ id: string }>(
    ['listings', 'create', '--seller', seller.id, '--quantity', '1000'],
    seeded.server.database,
  );
  const { orders } = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.buyer.apiKey });
  const place = async () => (await orders.create({ listingId: listing.id, quantity: 1 })).id;
  return { listing: listing.id, place };
}

/**
 * Prepares examples, each with its own IDs and files.
 *
 * @param receiver The URL of a receiver that acknowledges deliveries, except at its path `/down`.
 */
export async function prepareExamples(seeded: SeededServer, receiver: string) {
  const { server, seller, buyer } = seeded;
  const client = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const { listing, place } = await addListing(seeded, seller);
  const [notification] = (await client.notifications.list({ limit: 1 })).data;
  const [event] = (await client.events.list({ limit: 1 })).data;

  const { node } = webhookReceiver({
    ...{ secret: exampleSecret, requireTimestamp: true },
    onUnhandled: () => undefined,
    onVerificationError: () => undefined,
  });
  const probed = await startHttpServer(node);

  const profiles = await mkdtemp(join(tmpdir(), 'tradepost-profiles-'));
  for (const name of ['staging', 'default']) {
    const login = ['login', '--key-stdin', '--profile', name, '--base-url', server.url];
    await runCli(login, { TRADEPOST_CONFIG_DIR: profiles }, seller.apiKey);
  }

  async function prepare(example: string): Promise<PreparedExample> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-example-'));
    const isProbe = example.includes(' webhooks probe ');
    // The number of webhooks of an account is limited.
    const webhook = / webhooks (?!probe)/.test(example)
      ? await addDeliveries(client, receiver, 'task.completed')
      : null;
    if (webhook !== null && example.includes(' --promote')) {
      await client.webhooks.stageSecret(webhook.id);
    }
    const headers: Record<string, string> = webhook?.arrived.attempts[0]?.headers ?? {};
    const order = await place();
    // Keys are limited in number, too.
    const revocable = / keys revoke /.test(example) ? await client.keys.create() : null;
    const ids = createIdMapping({
      ord: [order],
      key: revocable === null ? [] : [revocable.id],
      lst: [listing],
      usr: [buyer.id],
      ntf: [notification?.id ?? ''],
      whk: webhook === null ? [] : [webhook.id],
      dlv: webhook === null ? [] : [webhook.failed],
      evt: [webhook?.arrived.eventId ?? event?.id ?? ''],
    });
    const line = ids
      .toReal(example)
      .replaceAll(/https:\/\/(staging\.)?trade\.example/g, server.url)
      .replaceAll('http://127.0.0.1:3000/webhooks', isProbe ? probed.url : receiver)
      .replaceAll('2f0c…e1', headers['Service-Signature'] ?? '')
      .replaceAll('1795253400', headers['webhook-timestamp'] ?? '')
      .replaceAll('v1,m7…=', headers['webhook-signature'] ?? '');

    const isNew = / register /.test(line);
    await Promise.all([
      writeFile(join(folder, 'orders.csv'), `id,status\n${order},pending\n`),
      writeFile(join(folder, 'key.txt'), `${seller.apiKey}\n`),
      writeFile(
        join(folder, 'webhook.json'),
        JSON.stringify({ url: receiver, events: ['order.created'] }),
      ),
      writeFile(join(folder, 'receiver.json'), '{"standardWebhooks":true}'),
      ...(isProbe ? [writeFile(join(folder, 'webhook.secret'), exampleSecret)] : []),
      ...(webhook === null ? [] : [writeFile(join(folder, 'body.json'), webhook.arrived.body)]),
      ...(webhook === null || isNew
        ? []
        : [writeFile(join(folder, 'webhook.secret'), webhook.secret)]),
      // The folders from which shells load completions.
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
    const usesProfiles = /--profile|logout|login|profiles/.test(line);
    if (usesProfiles) await cp(profiles, home.TRADEPOST_CONFIG_DIR, { recursive: true });
    const settings = { TRADEPOST_BASE_URL: server.url, TRADEPOST_API_KEY: key };
    const env = usesProfiles ? home : { ...home, ...settings };
    if (line.includes(' jobs show ')) {
      await runCli(['orders', 'set-status', 'confirmed', '--stdin', '--yes'], env, order);
    }
    return { line, folder, env, webhook: webhook?.id ?? null };
  }

  return {
    prepare,
    /** Creates and cancels an order, for commands that follow orders. */
    async cancelOrder(): Promise<void> {
      await client.orders.update(await place(), { status: 'cancelled' });
    },
    async close(): Promise<void> {
      await probed.close();
      await rm(profiles, { recursive: true, force: true });
    },
    /** Deletes the folder and the webhook of an example. */
    async clear({ folder, webhook }: PreparedExample): Promise<void> {
      await rm(folder, { recursive: true, force: true });
      // The example itself may have deleted it.
      if (webhook !== null) await client.webhooks.delete(webhook).catch(() => {});
    },
  };
}
