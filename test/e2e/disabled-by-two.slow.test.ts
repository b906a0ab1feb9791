import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { registerWebhook } from '../helpers/register-webhook';
import { runOperator, runServerCommand } from '../helpers/run-server-command';
import { seedDatabase } from '../helpers/seed';
import { startApi, startWorker, usePostgres } from '../helpers/start-postgres';
import { startReceiver } from '../helpers/start-receiver';
import { temporaryFolder } from '../helpers/temporary-folder';

/** How many endpoints fail: enough that the rounds of both processes overlap, which one of them starts a little later. */
const brokenCount = 60;
/** So many failures in a row, and an endpoint is in backoff. */
const failures = 5;
const waiting = { timeout: 60_000, interval: 100 };

interface Backend {
  database: string;
  seed: SeedResult;
  /** Runs a statement while no process uses the database. */
  execute(sql: string): Promise<void>;
}

async function createSqlite(): Promise<Backend> {
  const folder = await forTest(temporaryFolder());
  const database = join(folder.path, 'tradepost.db');
  return {
    database,
    seed: await seedDatabase(database),
    async execute(sql) {
      const connection = new Database(database);
      connection.exec(sql);
      connection.close();
    },
  };
}

const createDatabase = await usePostgres();

async function createPostgres(): Promise<Backend> {
  const { url, seed } = await createDatabase();
  return {
    database: url,
    seed,
    async execute(sql) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(sql);
      await client.end();
    },
  };
}

it.each([
  ['SQLite', createSqlite],
  ['PostgreSQL', createPostgres],
])(
  'two workers on %s disable each endpoint that keeps failing once',
  async (_name, create) => {
    const { database, seed, execute } = await create();
    const api = await startApi(database);
    const [account] = seed.accounts;
    const buyer = new Tradepost({ baseUrl: api.url, apiKey: account?.apiKey ?? '' });
    const raise = ['accounts', 'limits', account?.id ?? '', '--webhooks', '100'];
    await runServerCommand(raise, database);
    const failing = await forTest(startReceiver(() => 500));
    const working = await forTest(startReceiver());
    const broken: string[] = [];
    for (let count = 0; count < brokenCount; count += 1) {
      // One hears of the others, but not of itself.
      const more = count === 0 ? (['webhook.disabled'] as const) : [];
      const params = { url: failing.url, events: ['order.created', ...more] as const };
      broken.push((await registerWebhook(buyer, params)).id);
    }
    const watch = () =>
      registerWebhook(buyer, { url: working.url, events: ['webhook.disabled'] as const });
    const watching = [(await watch()).id, (await watch()).id];
    const listingId = seed.listings[0]?.id ?? '';
    for (let count = 0; count < failures; count += 1)
      await buyer.orders.create({ listingId, quantity: 1 });

    const first = await startWorker(database);
    const list = async () => (await buyer.webhooks.list({ limit: 100 })).data;
    await vi.waitFor(async () => {
      const counts = (await list()).map(({ consecutiveFailures }) => consecutiveFailures);
      expect(counts.filter((count) => count >= failures)).toHaveLength(brokenCount);
    }, waiting);
    await first.stop();
    const week = 7 * 24 * 60 * 60 * 1_000;
    await execute(
      `UPDATE queues SET failing_since = failing_since - ${week} WHERE failing_since > 0`,
    );

    const args = ['--disable-after', '3'];
    const workers = await Promise.all([startWorker(database, args), startWorker(database, args)]);
    await vi.waitFor(async () => {
      const disabled = (await list()).filter(({ disabledAt }) => disabledAt !== null);
      expect(disabled.map(({ id }) => id).sort()).toEqual([...broken].sort());
    }, waiting);
    await working.until(({ length }) => length >= watching.length * brokenCount);
    // Ends their rounds too.
    const exits = await Promise.all(workers.map((worker) => worker.stop()));

    const logged = exits.map(({ stderr }) => stderr.match(/"msg":"webhook disabled: /g) ?? []);
    expect(logged.flat()).toHaveLength(brokenCount);
    const all = { limit: Number.POSITIVE_INFINITY };
    const events = await buyer.events.list({ limit: 100 }).toArray(all);
    const ids = events.flatMap(({ event, data }) =>
      event === 'webhook.disabled' && 'webhookId' in data ? [data.webhookId] : [],
    );
    expect(ids.sort()).toEqual([...broken].sort());
    const notifications = await buyer.notifications.list({ limit: 100 }).toArray(all);
    const notices = notifications.filter(({ type }) => type === 'webhook_disabled');
    expect(notices).toHaveLength(brokenCount);
    const entries = await runServerCommand<{ action: string; subject: { id: string } }[]>(
      ['audit', '--account', account?.id ?? '', '--limit', '1000'],
      database,
    );
    const audited = entries.filter(({ action }) => action === 'webhook.disabled');
    expect(audited.map(({ subject }) => subject.id).sort()).toEqual([...broken].sort());
    const countDeliveries = async (webhookId: string) => {
      const query = { webhookId, event: 'webhook.disabled', limit: 100 } as const;
      const deliveries = await buyer.deliveries.list(query).toArray(all);
      return new Set(deliveries.map(({ eventId }) => eventId)).size === deliveries.length
        ? deliveries.length
        : Number.NaN;
    };
    expect(await Promise.all([...watching, broken[0] ?? ''].map(countDeliveries))).toEqual([
      brokenCount,
      brokenCount,
      brokenCount - 1,
    ]);
    expect(working.arrivals).toHaveLength(watching.length * brokenCount);
    const { code, stdout } = await runOperator(['check', '--database', database]);
    expect({ code, stdout }).toEqual({ code: 0, stdout });
  },
  120_000,
);
