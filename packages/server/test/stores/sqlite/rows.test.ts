import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { aResult, deliveredResult, failedResult, leaseOne } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

let file: string;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
});

function rows(sql: string): unknown[] {
  const connection = new Database(file, { readonly: true });
  try {
    return connection.prepare(sql).all();
  } finally {
    connection.close();
  }
}

describe('in the rows of the tables', () => {
  test('an event has its notifications and deliveries, and an entry in the log of each participant', async () => {
    const webhook = await trade.subscribe(trade.buyer, ['order.created']);
    const order = await trade.place();
    const [created] = rows("SELECT * FROM events WHERE event_type = 'order.created'") as [
      { id: string },
    ];
    expect(created).toMatchObject({ order_id: order.id, created_at: noon });
    expect(
      rows(`SELECT account_id, order_id FROM notifications WHERE event_id = '${created.id}'`),
    ).toHaveLength(3);
    const log = `SELECT account_id FROM account_events WHERE event_id = '${created.id}' ORDER BY seq`;
    const parties = [trade.buyer, trade.seller, trade.agent];
    expect(rows(log)).toEqual(parties.map(({ accountId }) => ({ account_id: accountId })));
    expect(rows('SELECT * FROM deliveries')).toEqual([
      {
        seq: 1,
        id: expect.stringMatching(/^dlv_/),
        event_id: created.id,
        webhook_id: webhook.id,
        event_type: 'order.created',
        test: 0,
        state: 'pending',
        attempts: 0,
        tries: 0,
        due_at: noon,
        scheduled_at: noon,
        trace_context: null,
        deadline_at: noon + retryWindowMs,
        lease_token: null,
        lease_until: null,
        lease_counts: 0,
        last_status: null,
        last_error: null,
        created_at: noon,
        finished_at: null,
      },
    ]);
  });

  test('a queue counts what is pending and what is leased, and when to poll it next', async () => {
    const { id } = await trade.subscribe(trade.buyer, ['order.created']);
    for (let count = 0; count < 3; count += 1) await trade.place({ now: noon + count });
    const inHand = await trade.store.deliveries.leaseDue({
      now: noon + 10,
      leaseUntil: noon + 1_000,
      leaseToken: 'mine',
      limit: 2,
    });
    const queue = {
      webhook_id: id,
      depth: 3,
      in_flight: 2,
      paused: 0,
      concurrency_limit: 4,
      failures: 0,
      failed_at: 0,
      backoff_until: 0,
      next_at: noon + 10,
    };
    expect(rows('SELECT * FROM queues')).toEqual([queue]);
    await trade.store.deliveries.recordAttempts(
      inHand.map((delivery) => deliveredResult(delivery, noon + 10)),
      noon + 20,
    );
    expect(rows('SELECT * FROM queues')).toEqual([
      { ...queue, depth: 1, in_flight: 0, concurrency_limit: 6, next_at: noon + 20 },
    ]);
  });

  test('each attempt of a delivery is stored, with its result and its request', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    const { store } = trade;
    const attempts = [
      anAttempt({
        startedAt: noon,
        durationMs: 31,
        status: 503,
        responseSnippet: 'später “bitte”',
      }),
      anAttempt({ startedAt: noon + 5_000, status: null, error: 'timeout', responseSnippet: '' }),
      anAttempt({ startedAt: noon + 20_000, headers: { 'webhook-id': 'evt_1', 'X-Ü': '“2”' } }),
    ];
    for (const [index, attempt] of attempts.entries()) {
      const delivery = await leaseOne(store, attempt.startedAt);
      const nextAttemptAt = attempts[index + 1]?.startedAt ?? null;
      const state = nextAttemptAt === null ? 'delivered' : 'pending';
      const outcome = aResult(delivery, { attempt, state, nextAttemptAt });
      await store.deliveries.recordAttempts([outcome], attempt.startedAt + 40);
    }
    expect(rows('SELECT * FROM attempts ORDER BY number')).toEqual(
      attempts.map(
        ({ startedAt, durationMs, url, headers, status, error, responseSnippet }, index) => ({
          delivery_seq: 1,
          number: index + 1,
          started_at: startedAt,
          duration_ms: durationMs,
          url,
          headers: JSON.stringify(headers),
          status,
          error,
          response_snippet: responseSnippet,
        }),
      ),
    );
    expect(
      rows(
        'SELECT state, attempts, tries, due_at, lease_token, lease_until, last_status, last_error, finished_at FROM deliveries',
      ),
    ).toEqual([
      {
        state: 'delivered',
        attempts: 3,
        tries: 3,
        due_at: null,
        lease_token: null,
        lease_until: null,
        last_status: 200,
        last_error: null,
        finished_at: noon + 20_040,
      },
    ]);
  });

  test('no attempt is stored for a stale lease, nor without an attempt', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    const delivery = await leaseOne(trade.store, noon);
    const givenUp = aResult(delivery, { number: 0, attempt: null, state: 'failed' });
    const outcomes = [aResult(delivery, { leaseToken: 'stale' }), givenUp];
    await trade.store.deliveries.recordAttempts(outcomes, noon + 7);
    expect(rows('SELECT state, attempts, last_status, finished_at FROM deliveries')).toEqual([
      { state: 'failed', attempts: 0, last_status: null, finished_at: noon + 7 },
    ]);
    expect(rows('SELECT * FROM attempts')).toEqual([]);
    expect(rows('SELECT depth, in_flight, concurrency_limit FROM queues')).toEqual([
      { depth: 0, in_flight: 0, concurrency_limit: 4 },
    ]);
  });

  test('a delivery that ends after its deadline keeps the result of its last attempt', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    const delivery = await leaseOne(trade.store, noon);
    await trade.store.deliveries.recordAttempts([failedResult(delivery, noon + 5_000)], noon);
    const now = noon + retryWindowMs + 1;
    await trade.store.deliveries.failOverdue({ now, limit: 10 });
    expect(
      rows('SELECT state, attempts, due_at, last_status, finished_at FROM deliveries'),
    ).toEqual([{ state: 'failed', attempts: 1, due_at: null, last_status: 500, finished_at: now }]);
  });

  test('no API key is stored, only its hash', async () => {
    const keys = rows('SELECT * FROM api_keys');
    expect(keys).toHaveLength(3);
    expect(JSON.stringify(keys)).not.toMatch(/tpk_\w{5,}/);
  });
});
