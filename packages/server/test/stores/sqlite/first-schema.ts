import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { anOrderRecord, noon } from '@tradepost/domain/test/builders';
import type Database from 'better-sqlite3';
import { initial } from '../../../src/stores/sqlite/migrations/001-initial';
import { inspectFile } from './inspect-file';

/** A row of a table. */
export type Row = Record<string, string | number | null>;

function insert(connection: Database.Database, table: string, rows: Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const places = names.map((name) => `@${name}`).join();
    connection.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${places})`).run(row);
  }
}

/** The order of all these rows. */
export const oldOrder = anOrderRecord({
  id: 'ord_1',
  buyerId: 'usr_buyer',
  sellerId: 'usr_seller',
  agentId: 'usr_agent',
  listingId: 'lst_1',
});
/** The body of its events. */
export const oldBody =
  '{"event":"oldOrder.created","createdAt":"2026-11-21T12:00:00.000Z","data":{}}';
/** The deadline of the deliveries. */
export const oldDeadline = noon + retryWindowMs;

/** One delivery in each state that the first schema knew. */
export const oldDeliveries: Row[] = [
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

/** Attempts of these deliveries. */
export const oldAttempts: Row[] = [
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

/** Creates a database as the server of the first schema left it. */
export function makeFirstSchema(file: string): void {
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
        id: oldOrder.id,
        status: oldOrder.status,
        buyer_id: oldOrder.buyerId,
        seller_id: oldOrder.sellerId,
        agent_id: oldOrder.agentId,
        listing_id: oldOrder.listingId,
        quantity: oldOrder.quantity,
        version: oldOrder.version,
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
        body: oldBody,
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
      oldDeliveries.map((delivery) => ({
        lease_token: null,
        ...delivery,
        event_id: 'evt_1',
        deadline_at: oldDeadline,
        created_at: noon,
      })),
    );
    insert(connection, 'attempts', oldAttempts);
    insert(connection, 'idempotency_keys', [
      {
        account_id: 'usr_buyer',
        operation: 'createOrder',
        key: 'a-key',
        fingerprint: 'f',
        answer: '{}',
        expires_at: oldDeadline,
      },
      ...['whk_busy', 'whk_unknown'].map((id) => ({
        account_id: 'usr_buyer',
        operation: 'createWebhook',
        key: id,
        fingerprint: 'f',
        answer: JSON.stringify({ status: 201, headers: {}, body: { data: { id } } }),
        expires_at: oldDeadline,
      })),
    ]);
  });
}
