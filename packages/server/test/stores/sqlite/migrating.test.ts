import type Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { retryWindow } from '../../../src/deliveries/delivery';
import type { Store } from '../../../src/store';
import { initial } from '../../../src/stores/sqlite/migrations/001-initial';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { aCaller, anOrder, noon } from '../../builders';
import { tempFile } from '../../temp-folder';
import { claim, delivered } from '../claiming';
import { contentsOf, healthOf, inspectFile, sound } from './inspect-file';

type Row = Record<string, string | number | null>;

function insert(connection: Database.Database, table: string, rows: Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const places = names.map((name) => `@${name}`).join();
    connection.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${places})`).run(row);
  }
}

const order = anOrder({
  id: 'ord_1',
  buyerId: 'usr_buyer',
  sellerId: 'usr_seller',
  agentId: 'usr_agent',
  listingId: 'lst_1',
});
const body = '{"event":"order.created","createdAt":"2026-11-21T12:00:00.000Z","data":{}}';
const deadline = noon + retryWindow;

/** One delivery in each state that the first schema knew. */
const deliveries: Row[] = [
  { id: 'dlv_1_new', webhook_id: 'whk_busy', state: 'pending', attempts: 0, due_at: noon },
  {
    id: 'dlv_2_again',
    webhook_id: 'whk_busy',
    state: 'pending',
    attempts: 2,
    due_at: noon + 70_000,
  },
  {
    id: 'dlv_3_leased',
    webhook_id: 'whk_busy',
    state: 'pending',
    attempts: 1,
    due_at: noon + 30_000,
    lease_token: 'of a worker',
  },
  { id: 'dlv_4_delivered', webhook_id: 'whk_busy', state: 'delivered', attempts: 2, due_at: null },
  { id: 'dlv_5_failed', webhook_id: 'whk_busy', state: 'failed', attempts: 1, due_at: null },
  { id: 'dlv_6_given_up', webhook_id: 'whk_paused', state: 'failed', attempts: 0, due_at: null },
  { id: 'dlv_7_paused', webhook_id: 'whk_paused', state: 'pending', attempts: 0, due_at: noon + 5 },
];

const attempts: Row[] = [
  {
    delivery_id: 'dlv_2_again',
    number: 1,
    started_at: noon,
    duration: 12,
    status: 500,
    error: null,
    excerpt: 'no',
  },
  {
    delivery_id: 'dlv_2_again',
    number: 2,
    started_at: noon + 5_000,
    duration: 15_000,
    status: null,
    error: 'timeout',
    excerpt: '',
  },
  {
    delivery_id: 'dlv_3_leased',
    number: 1,
    started_at: noon,
    duration: 9,
    status: 503,
    error: null,
    excerpt: 'später “bitte”',
  },
  {
    delivery_id: 'dlv_4_delivered',
    number: 1,
    started_at: noon,
    duration: 40,
    status: 429,
    error: null,
    excerpt: '',
  },
  {
    delivery_id: 'dlv_4_delivered',
    number: 2,
    started_at: noon + 60_000,
    duration: 25,
    status: 204,
    error: null,
    excerpt: '',
  },
  {
    delivery_id: 'dlv_5_failed',
    number: 1,
    started_at: noon + 7,
    duration: 3,
    status: 302,
    error: null,
    excerpt: 'elsewhere',
  },
];

const kinds = ['order.created', 'task.approval_requested'];

/** Makes a database as the server of the first schema left it. */
function makeOld(file: string): void {
  inspectFile(file, (connection) => {
    connection.exec(initial);
    connection.exec('PRAGMA application_id = 0x54505354; PRAGMA user_version = 1');
    const parties = ['buyer', 'seller', 'agent'] as const;
    insert(
      connection,
      'accounts',
      parties.map((kind) => ({ id: `usr_${kind}`, kind, name: `The ${kind}`, created_at: noon })),
    );
    insert(connection, 'api_keys', [
      {
        id: 'key_1',
        account_id: 'usr_buyer',
        hash: 'a-hash',
        hint: 'tpk_ab',
        read_only: 0,
        created_at: noon,
        expires_at: null,
        revoked_at: null,
      },
    ]);
    insert(connection, 'listings', [
      {
        id: 'lst_1',
        seller_id: 'usr_seller',
        agent_id: 'usr_agent',
        available_quantity: 990,
        low_threshold: null,
        low_told: 0,
        created_at: noon,
      },
    ]);
    insert(connection, 'orders', [
      {
        id: order.id,
        status: order.status,
        buyer_id: order.buyerId,
        seller_id: order.sellerId,
        agent_id: order.agentId,
        listing_id: order.listingId,
        quantity: order.quantity,
        version: order.version,
        created_at: noon,
        updated_at: noon,
      },
    ]);
    insert(connection, 'tasks', [
      {
        id: 'tsk_1',
        order_id: 'ord_1',
        agent_id: 'usr_agent',
        created_at: noon,
        completed_at: null,
      },
    ]);
    insert(
      connection,
      'events',
      kinds.map((kind, index) => ({
        id: `evt_${index + 1}`,
        kind,
        order_id: 'ord_1',
        body,
        created_at: noon + index,
      })),
    );
    insert(
      connection,
      'notifications',
      kinds.flatMap((kind, index) =>
        parties.map((party) => ({
          id: `ntf_${index}_${party}`,
          account_id: `usr_${party}`,
          event_id: `evt_${index + 1}`,
          type: kind.replace('.', '_'),
          order_id: 'ord_1',
          message: 'It happened.',
          read: index,
          created_at: noon + index,
        })),
      ),
    );
    const webhook = {
      account_id: 'usr_buyer',
      url: 'https://receiver.example/hook',
      secret: 'whsec_c2VjcmV0',
      created_at: noon,
      updated_at: noon,
    };
    insert(connection, 'webhooks', [
      { ...webhook, id: 'whk_busy', status: 'active' },
      { ...webhook, id: 'whk_paused', status: 'paused' },
      { ...webhook, id: 'whk_idle', status: 'active' },
    ]);
    insert(
      connection,
      'webhook_events',
      ['whk_busy', 'whk_paused', 'whk_idle'].map((id) => ({
        account_id: 'usr_buyer',
        kind: 'order.created',
        webhook_id: id,
      })),
    );
    insert(
      connection,
      'deliveries',
      deliveries.map((delivery) => ({
        lease_token: null,
        ...delivery,
        event_id: 'evt_1',
        deadline_at: deadline,
        created_at: noon,
      })),
    );
    insert(connection, 'attempts', attempts);
    insert(connection, 'idempotency_keys', [
      {
        account_id: 'usr_buyer',
        operation: 'createOrder',
        key: 'a-key',
        fingerprint: 'f',
        answer: '{}',
        expires_at: deadline,
      },
    ]);
  });
}

let file: string;
let store: Store;
let before: unknown;

function rows(sql: string): unknown[] {
  return inspectFile(file, (connection) => connection.prepare(sql).all());
}

beforeEach(() => {
  file = tempFile();
  makeOld(file);
  before = contentsOf(file);
  store = openSqliteStore(file);
  onTestFinished(() => store.close());
});

describe('a SQLite file of the first schema', () => {
  test('is brought to the newest, and is sound', () => {
    expect(rows('PRAGMA user_version')).toEqual([{ user_version: 2 }]);
    expect(healthOf(file)).toEqual(sound);
  });

  test('keeps every row of what did not change its shape', () => {
    const remade = ['attempts', 'deliveries', 'webhooks'];
    const kept = (before as [string, unknown][]).filter(([table]) => !remade.includes(table));
    expect(kept).toHaveLength(9);
    expect(contentsOf(file)).toEqual(expect.arrayContaining(kept));
    expect(rows('SELECT * FROM webhooks')).toEqual(
      ['whk_busy', 'whk_idle', 'whk_paused'].map((id) => ({
        id,
        account_id: 'usr_buyer',
        url: 'https://receiver.example/hook',
        status: id === 'whk_paused' ? 'paused' : 'active',
        secret: 'whsec_c2VjcmV0',
        created_at: noon,
        updated_at: noon,
        staged_secret: null,
        staged_at: null,
        deleted_at: null,
      })),
    );
  });

  test('keeps every delivery, with what was last seen of it; what was leased is due when its lease ends', () => {
    const last: Record<string, { last_status: number | null; last_error: string | null }> = {
      dlv_2_again: { last_status: null, last_error: 'timeout' },
      dlv_3_leased: { last_status: 503, last_error: null },
      dlv_4_delivered: { last_status: 204, last_error: null },
      dlv_5_failed: { last_status: 302, last_error: null },
    };
    const finished: Record<string, number> = {
      dlv_4_delivered: noon + 60_025,
      dlv_5_failed: noon + 10,
      dlv_6_given_up: deadline,
    };
    expect(rows('SELECT * FROM deliveries ORDER BY seq')).toEqual(
      deliveries.map((delivery, index) => ({
        ...delivery,
        seq: index + 1,
        event_id: 'evt_1',
        kind: 'order.created',
        test: 0,
        tries: delivery.attempts,
        deadline_at: deadline,
        lease_token: null,
        lease_until: null,
        lease_counts: 0,
        last_status: null,
        last_error: null,
        ...last[String(delivery.id)],
        created_at: noon,
        finished_at: finished[String(delivery.id)] ?? null,
      })),
    );
  });

  test('keeps every attempt; where it went is told as far as it is known', () => {
    const found = rows(
      `SELECT d.id AS delivery_id, a.* FROM attempts AS a JOIN deliveries AS d ON d.seq = a.delivery_seq
       ORDER BY d.id, a.number`,
    );
    expect(found).toEqual(
      attempts.map((attempt) => ({
        ...attempt,
        delivery_seq: expect.any(Number),
        url: 'https://receiver.example/hook',
        headers: '{}',
      })),
    );
  });

  test('has a queue for each webhook, as deep as it is', () => {
    const fresh = { in_flight: 0, allowance: 4, failures: 0, failed_at: 0, held_until: 0 };
    expect(rows('SELECT * FROM queues ORDER BY webhook_id')).toEqual([
      { ...fresh, webhook_id: 'whk_busy', depth: 3, paused: 0, next_at: noon },
      { ...fresh, webhook_id: 'whk_idle', depth: 0, paused: 0, next_at: null },
      { ...fresh, webhook_id: 'whk_paused', depth: 1, paused: 1, next_at: null },
    ]);
  });

  test('has its events in the logs of those who were told, in the order in which they happened', () => {
    const log = rows('SELECT account_id, event_id FROM account_events ORDER BY seq');
    expect(log).toHaveLength(6);
    for (const party of ['buyer', 'seller', 'agent']) {
      const own = log.filter((line) => (line as Row).account_id === `usr_${party}`);
      expect(own.map((line) => (line as Row).event_id)).toEqual(['evt_1', 'evt_2']);
    }
  });

  test('goes on where it stood: orders are read, deliveries are made, new ones are queued', async () => {
    const page = { after: null, limit: 10 };
    const buyer = aCaller({ accountId: 'usr_buyer' });
    expect(await store.orders.listOrders(buyer, {}, page)).toEqual([order]);
    const first = await claim(store, noon + 30_000);
    expect(first.map(({ id, attempts, tries }) => ({ id, attempts, tries }))).toEqual([
      { id: 'dlv_1_new', attempts: 0, tries: 0 },
      { id: 'dlv_3_leased', attempts: 1, tries: 1 },
    ]);
    const outcomes = first.map((delivery) => delivered(delivery, noon + 30_000));
    await store.deliveries.recordAttempts(outcomes, noon + 30_010);
    const [again] = await claim(store, noon + 70_000);
    expect(again).toMatchObject({ id: 'dlv_2_again', attempts: 2, body });
    expect(await store.deliveries.failOverdue({ now: deadline + 1, limit: 10 })).toBe(1);
    expect(healthOf(file)).toEqual(sound);
  });
});
