import { Tradepost } from '@tradepost/sdk';
import pg from 'pg';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startPostgres } from '../../packages/server/test/helpers/postgres';
import { forTest } from '../helpers/for-test';
import { placeOrders } from '../helpers/place-orders';
import { tradepostServerBin } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { runOperator } from '../helpers/run-server-command';
import { type RunningProcess, startProcess } from '../helpers/start-process';
import {
  type PausedReceiver,
  type Receiver,
  startHttpReceiver,
  startPausedReceiver,
} from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { startServerProcess } from '../helpers/start-server-process';

const postgres = await startPostgres();
afterAll(postgres.stop);

/** How many orders are placed before the copy: more than a receiver gets at once. */
const orderCount = 20;

let seeded: SeededServer;
let receiver: Receiver;
/** Its deliveries are in flight or pending until it is resumed. */
let paused: PausedReceiver;
let url: string;

beforeEach(async () => {
  seeded = await startSeededServer();
  receiver = await startHttpReceiver();
  paused = await startPausedReceiver();
  const database = await postgres.createDatabase();
  url = database.url;
  return async () => {
    await seeded.close();
    await receiver.close();
    await paused.close();
    await database.remove();
  };
});

function listCopyArguments(...args: string[]): string[] {
  return ['migrate-store', '--from', seeded.server.database, '--to', url, ...args];
}

function createClient(baseUrl: string): Tradepost {
  return new Tradepost({ baseUrl, apiKey: seeded.buyer.apiKey });
}

const readIds = ({ arrivals }: Receiver) => arrivals.map(({ headers }) => headers['webhook-id']);

/** Reads the events that are delivered, from the copy. */
async function readDelivered(): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    "SELECT event_id AS id FROM deliveries WHERE state = 'delivered'",
  );
  await client.end();
  return rows.map(({ id }) => id);
}

/** Starts a copy that waits before it writes deliveries, until `release` is called. */
async function startHeldCopy(): Promise<{ copy: RunningProcess; release(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  // Others may read the table, but not write to it.
  await holder.query('BEGIN; LOCK TABLE pending_deliveries IN SHARE MODE');
  const copy = startProcess(process.execPath, [tradepostServerBin, ...listCopyArguments()]);
  await copy.writes(/^copying pending_deliveries/m, 'stderr');
  return { copy, release: () => holder.end() };
}

it('a copy that was killed and stopped continues, and its server delivers what the old one could not', async () => {
  const { server } = seeded;
  const client = createClient(server.url);
  for (const one of [receiver, paused]) {
    await registerWebhook(client, { url: one.url, events: ['order.created'] });
  }
  const orderIds = await placeOrders(seeded, orderCount);
  await receiver.until(({ length }) => length === orderCount);
  await paused.until(({ length }) => length > 1);
  const early = await runOperator(listCopyArguments());
  expect(early).toMatchObject({ code: 1, stdout: '' });
  expect(early.stderr).toContain('is in use by another process. Stop the server, and try again.');

  await server.stop('SIGKILL');
  const inFlight = readIds(paused);
  expect(inFlight.length).toBeLessThan(orderCount);
  const dryRun = await runOperator(listCopyArguments('--dry-run', '--json'));
  expect(dryRun).toMatchObject({ code: 0 });
  const expected = JSON.parse(dryRun.stdout);
  expect(await runOperator(['migrate', '--database', url])).toMatchObject({ code: 0 });
  const killed = await startHeldCopy();
  expect(await killed.copy.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  await killed.release();
  for (const command of ['start', 'check', 'migrate']) {
    const rejected = await runOperator([command, '--database', url]);
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain('has an unfinished copy of a SQLite database');
  }
  const stopped = await startHeldCopy();
  const exit = stopped.copy.stop('SIGINT');
  await stopped.release();
  expect(await exit).toMatchObject({ code: 1, stdout: '' });
  expect(stopped.copy.stderr()).toContain(
    'error: Stopped by SIGINT. The source is unchanged. If the copy was started, the same command continues it.\n',
  );

  const finished = await runOperator(listCopyArguments('--json'));
  expect(finished).toMatchObject({ code: 0 });
  expect(JSON.parse(finished.stdout)).toEqual({ ...expected, dryRun: false });
  expect(finished.stdout).not.toContain(new URL(url).password.concat('@'));
  expect(await runOperator(['check', '--database', url])).toMatchObject({ code: 0, stderr: '' });

  const delivered = await readDelivered();
  expect(delivered.length).toBeGreaterThan(0);
  const arrivedAtReceiver = receiver.arrivals.length;
  const next = await forTest(startServerProcess(url));
  paused.resume();
  const eventIds = new Set(readIds(receiver));
  expect(eventIds.size).toBe(orderCount);
  // What was in flight arrives again, with the same ID; what was pending, for the first time.
  expect([...eventIds]).toEqual(expect.arrayContaining(inFlight));
  const isComplete = () => new Set(readIds(paused).slice(inFlight.length)).size === orderCount;
  await paused.until(isComplete);
  expect(new Set(readIds(paused).slice(inFlight.length))).toEqual(eventIds);
  const { orders } = createClient(next.url);
  for (const id of orderIds) expect(await orders.get(id)).toMatchObject({ id });
  // What the old server has recorded as delivered is not delivered again.
  const arrivedAgain = readIds(receiver).slice(arrivedAtReceiver);
  expect(arrivedAgain.filter((id) => delivered.includes(String(id)))).toEqual([]);
}, 120_000);

it('a copy is one document for scripts and fields for people, with its progress on stderr', async () => {
  await seeded.server.stop();
  const { database } = seeded.server;
  const people = await runOperator(listCopyArguments());
  expect(people.code).toBe(0);
  expect(people.stdout).toMatch(/^from +\S+\nto +postgres:\S+\ndryRun +false\naccounts +4\n/);
  expect(people.stdout).toMatch(/^orders +6$/m);
  expect(people.stderr).toMatch(
    /^checking the SQLite database\n(copying \w+: \d+ rows\n){19}(comparing \w+: \d+ rows\n){19}The copy is complete\./,
  );
  const again = await runOperator(listCopyArguments());
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('is not empty: it has a complete copy already');
  const reversed = await runOperator(['migrate-store', '--from', url, '--to', database]);
  expect(reversed).toMatchObject({ code: 2, stdout: '' });
  expect(reversed.stderr).toContain('--from must be a SQLite file.');
}, 60_000);
