import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import Database from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { registerWebhook } from '../helpers/register-webhook';
import { runOperator, runServerCommand } from '../helpers/run-server-command';
import {
  type PausedReceiver,
  type Receiver,
  startHttpReceiver,
  startPausedReceiver,
} from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { startServerProcess } from '../helpers/start-server-process';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';

const concurrency = 8;
/** How many orders are accepted before the backup, and how many more after it, at least. */
const ordersBefore = 100;
const ordersAfter = 100;

let seeded: SeededServer;
let receiver: Receiver;
/** Its deliveries are pending or in flight until it is resumed. */
let paused: PausedReceiver;
let folder: TemporaryFolder;
let listingId: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  seeded = await startSeededServer();
  receiver = await startHttpReceiver();
  paused = await startPausedReceiver();
  const create = ['listings', 'create', '--seller', seeded.seller.id, '--quantity', '100000'];
  ({ id: listingId } = await runServerCommand<{ id: string }>(create, seeded.server.database));
  return async () => {
    await seeded.close();
    await receiver.close();
    await paused.close();
    await folder.remove();
  };
});

function createClient(url: string): Tradepost {
  return new Tradepost({ baseUrl: url, apiKey: seeded.buyer.apiKey });
}

/** Reads the events whose deliveries to a receiver are pending. */
function readPendingEvents(file: string, { url }: Receiver): string[] {
  const connection = new Database(file, { readonly: true });
  try {
    const sql = `SELECT event_id FROM deliveries JOIN webhooks ON webhooks.id = webhook_id
      WHERE state = 'pending' AND url = ?`;
    return connection.prepare<[string], string>(sql).pluck().all(url);
  } finally {
    connection.close();
  }
}

/** Places orders all the time until it is stopped. */
function startPlacing() {
  const { orders } = createClient(seeded.server.url);
  const placed: string[] = [];
  let isStopped = false;
  let notify: () => void = () => {};
  async function place(): Promise<void> {
    while (!isStopped) {
      placed.push((await orders.create({ listingId, quantity: 1 })).id);
      notify();
    }
  }
  const ended = Promise.all(Array.from({ length: concurrency }, place));
  return {
    /** The orders that were accepted, in the order of the responses. */
    placed,
    /** Waits until this many orders were accepted. */
    until: (count: number) =>
      new Promise<void>((resolve, reject) => {
        notify = () => {
          if (placed.length >= count) resolve();
        };
        notify();
        ended.catch(reject);
      }),
    async stop(): Promise<void> {
      isStopped = true;
      await ended;
    },
  };
}

it('a backup of a server that takes orders and delivers has everything accepted before it, and a server runs on it', async () => {
  const { server, buyer } = seeded;
  const client = createClient(server.url);
  for (const { url } of [receiver, paused]) {
    await registerWebhook(client, { url, events: ['order.created'] });
  }
  const backup = join(folder.path, 'backup.db');
  const placing = startPlacing();
  await placing.until(ordersBefore);
  const accepted = [...placing.placed];
  const copy = await runServerCommand<{ file: string; rows: { orders: number } }>(
    ['backup', backup],
    server.database,
  );
  expect(copy.file).toBe(backup);
  expect(copy.rows.orders).toBeGreaterThanOrEqual(accepted.length);
  await placing.until(placing.placed.length + ordersAfter);
  await placing.stop();
  expect(await runOperator(['check', '--database', server.database])).toMatchObject({ code: 0 });
  expect(await runOperator(['check', '--database', backup])).toMatchObject({ code: 0 });

  expect(readPendingEvents(backup, paused).length).toBeGreaterThan(0);
  expect(receiver.arrivals.length).toBeGreaterThan(0);

  // The database of a running server is never replaced.
  const early = await runOperator(['restore', backup, '--force', '--database', server.database]);
  expect(early).toMatchObject({ code: 1, stdout: '' });
  expect(early.stderr).toContain('is in use by another process and was not changed.');
  await server.stop();
  const unforced = await runOperator(['restore', backup, '--database', server.database]);
  expect(unforced).toMatchObject({ code: 1, stdout: '' });
  expect(unforced.stderr).toContain('exists and was not changed. Pass --force to replace it');

  const arrivedBefore = new Map([receiver, paused].map((one) => [one, one.arrivals.length]));
  paused.resume();
  const restored = await runServerCommand(['restore', backup, '--force'], server.database);
  expect(restored).toMatchObject({ rows: copy.rows });
  const next = await forTest(startServerProcess(server.database));
  const { orders, webhooks } = createClient(next.url);
  for (const id of accepted) {
    expect(await orders.get(id)).toMatchObject({ buyerId: buyer.id });
  }
  // What was pending in the backup is delivered, even if it has been delivered since; what was in flight, after its lease.
  for (const [one, count] of arrivedBefore) {
    const pending = readPendingEvents(backup, one);
    await one.until((arrivals) => {
      const arrived = new Set(arrivals.slice(count).map(({ headers }) => headers['webhook-id']));
      return pending.every((event) => arrived.has(event));
    });
  }
  expect((await webhooks.list()).data).toHaveLength(2);
  expect(await runOperator(['check', '--database', server.database])).toMatchObject({ code: 0 });
}, 120_000);

it('a backup is one document for scripts and fields for people, with a warning about secrets', async () => {
  const { database } = seeded.server;
  const backup = join(folder.path, 'backup.db');
  const people = await runOperator(['backup', backup, '--database', database]);
  expect(people.stdout).toMatch(/^file +\S+\/backup\.db\nbytes +\d+\nschemaVersion +\d+\n/);
  expect(people.stdout).toMatch(/^orders +6$/m);
  expect(people.stderr).toBe('The backup contains endpoint secrets. Keep it secret.\n');
  const again = await runOperator(['backup', backup, '--database', database]);
  expect(again).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: `error: ${backup} exists and was not changed. Pass --force to replace it, or another file.\n`,
  });
  expect(await runOperator(['backup', backup, '--force', '--database', database])).toMatchObject({
    code: 0,
  });
  expect(readdirSync(folder.path)).toEqual(['backup.db']);
});
