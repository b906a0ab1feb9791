import { aCaller, noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { deliveredResult, leaseDue } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import {
  makeFirstSchema,
  oldAttempts,
  oldBody,
  oldDeadline,
  oldDeliveries,
  oldOrder,
  type Row,
} from './first-schema';
import { checkIntegrity, inspectFile, readContents, sound } from './inspect-file';

let file: string;
let store: Store;
let before: unknown;

function rows(sql: string): unknown[] {
  return inspectFile(file, (connection) => connection.prepare(sql).all());
}

beforeEach(() => {
  file = tempFile();
  makeFirstSchema(file);
  before = readContents(file);
  store = openSqliteStore(file);
  onTestFinished(() => store.close());
});

/** When a delivery of the first schema began to wait: at the end of its last attempt, or when it was queued. */
function waitsSince({ id, attempts }: Row): number {
  const last = oldAttempts.find(
    ({ delivery_id, number }) => delivery_id === id && number === attempts,
  );
  return last === undefined ? noon : Number(last.started_at) + Number(last.duration);
}

describe('a SQLite file of the first schema', () => {
  test('is migrated to the newest, and is sound', () => {
    expect(rows('PRAGMA user_version')).toEqual([{ user_version: 11 }]);
    expect(checkIntegrity(file)).toEqual(sound);
  });

  test('links stored responses to the webhook that they show, and erases them if there is none', () => {
    const sql = 'SELECT key, answer, webhook_id FROM idempotency_keys ORDER BY key';
    expect(rows(sql)).toEqual([
      { key: 'a-key', answer: '{}', webhook_id: null },
      {
        key: 'whk_busy',
        answer: '{"status":201,"headers":{},"body":{"data":{"id":"whk_busy"}}}',
        webhook_id: 'whk_busy',
      },
      { key: 'whk_unknown', answer: '', webhook_id: 'whk_unknown' },
    ]);
  });

  test('keeps every row of unchanged tables', () => {
    const remade = [
      'attempts',
      'deliveries',
      'webhooks',
      'idempotency_keys',
      'api_keys',
      'listings',
      'events',
    ];
    const kept = (before as [string, unknown][]).filter(([table]) => !remade.includes(table));
    expect(kept).toHaveLength(5);
    expect(readContents(file)).toEqual(expect.arrayContaining(kept));
    const [, keys] = (before as [string, Row[]][]).find(([table]) => table === 'api_keys') ?? [];
    expect(keys).not.toEqual([]);
    expect(rows('SELECT * FROM api_keys')).toEqual(
      keys?.map((key) => ({ ...key, last_used_at: null })),
    );
    expect(rows('SELECT id, available_quantity, supplied_quantity FROM listings')).toEqual([
      { id: 'lst_1', available_quantity: 990, supplied_quantity: 1_000 },
    ]);
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

  test('keeps every delivery with its last state; a leased one is due when its lease ends', () => {
    const last: Record<string, { last_status: number | null; last_error: string | null }> = {
      dlv_2_again: { last_status: null, last_error: 'timeout' },
      dlv_3_leased: { last_status: 503, last_error: null },
      dlv_4_delivered: { last_status: 204, last_error: null },
      dlv_5_failed: { last_status: 302, last_error: null },
    };
    const finished: Record<string, number> = {
      dlv_4_delivered: noon + 60_025,
      dlv_5_failed: noon + 10,
      dlv_6_given_up: oldDeadline,
    };
    expect(rows('SELECT * FROM deliveries ORDER BY seq')).toEqual(
      oldDeliveries.map((delivery, index) => ({
        ...delivery,
        seq: index + 1,
        event_id: 'evt_1',
        kind: 'order.created',
        test: 0,
        tries: delivery.attempts,
        deadline_at: oldDeadline,
        lease_token: null,
        lease_until: null,
        lease_counts: 0,
        last_status: null,
        last_error: null,
        ...last[String(delivery.id)],
        scheduled_at: delivery.state === 'pending' ? waitsSince(delivery) : null,
        created_at: noon,
        finished_at: finished[String(delivery.id)] ?? null,
        trace_context: null,
      })),
    );
  });

  test('keeps every attempt, with its URL as far as it is known', () => {
    const found = rows(
      `SELECT d.id AS delivery_id, a.* FROM attempts AS a JOIN deliveries AS d ON d.seq = a.delivery_seq
       ORDER BY d.id, a.number`,
    );
    expect(found).toEqual(
      oldAttempts.map((attempt) => ({
        ...attempt,
        delivery_seq: expect.any(Number),
        url: 'https://receiver.example/hook',
        headers: '{}',
      })),
    );
  });

  test('has a queue for each webhook, with the right depth', () => {
    const fresh = { in_flight: 0, allowance: 4, failures: 0, failed_at: 0, held_until: 0 };
    expect(rows('SELECT * FROM queues ORDER BY webhook_id')).toEqual([
      { ...fresh, webhook_id: 'whk_busy', depth: 3, paused: 0, next_at: noon },
      { ...fresh, webhook_id: 'whk_idle', depth: 0, paused: 0, next_at: null },
      { ...fresh, webhook_id: 'whk_paused', depth: 1, paused: 1, next_at: null },
    ]);
  });

  test('has its events in the logs of their recipients, in the order in which they happened', () => {
    const log = rows('SELECT account_id, event_id FROM account_events ORDER BY seq');
    expect(log).toHaveLength(6);
    for (const party of ['buyer', 'seller', 'agent']) {
      const own = log.filter((line) => (line as Row).account_id === `usr_${party}`);
      expect(own.map((line) => (line as Row).event_id)).toEqual(['evt_1', 'evt_2']);
    }
  });

  test('continues to work: orders are read, deliveries are made, new ones are queued', async () => {
    const page = { after: null, limit: 10 };
    const buyer = aCaller({ accountId: 'usr_buyer' });
    expect(await store.orders.listOrders(buyer, {}, page)).toEqual([oldOrder]);
    const first = await leaseDue(store, noon + 30_000);
    expect(
      first.map(({ id, attemptCount, scheduledTries }) => ({
        id,
        attempts: attemptCount,
        tries: scheduledTries,
      })),
    ).toEqual([
      { id: 'dlv_1_new', attempts: 0, tries: 0 },
      { id: 'dlv_3_leased', attempts: 1, tries: 1 },
    ]);
    const outcomes = first.map((delivery) => deliveredResult(delivery, noon + 30_000));
    await store.deliveries.recordAttempts(outcomes, noon + 30_010);
    const [again] = await leaseDue(store, noon + 70_000);
    expect(again).toMatchObject({ id: 'dlv_2_again', attemptCount: 2, body: oldBody });
    expect(await store.deliveries.failOverdue({ now: oldDeadline + 1, limit: 10 })).toBe(1);
    expect(checkIntegrity(file)).toEqual(sound);
  });
});
