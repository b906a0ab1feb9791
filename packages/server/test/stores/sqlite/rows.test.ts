import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { retryWindow } from '../../../src/deliveries/delivery';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { anAttempt, noon } from '../../builders';
import { tempFile } from '../../temp-folder';
import { Trade } from '../trade';

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

describe('rows that the port does not show yet', () => {
  test('an event stands beside the notifications and deliveries that name it', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    const order = await trade.place();
    const [created] = rows("SELECT * FROM events WHERE kind = 'order.created'") as [{ id: string }];
    expect(created).toMatchObject({ order_id: order.id, created_at: noon });
    expect(
      rows(`SELECT account_id, order_id FROM notifications WHERE event_id = '${created.id}'`),
    ).toHaveLength(3);
    expect(rows('SELECT * FROM deliveries')).toEqual([
      {
        id: expect.stringMatching(/^dlv_/),
        event_id: created.id,
        webhook_id: expect.stringMatching(/^whk_/),
        state: 'pending',
        attempts: 0,
        due_at: noon,
        deadline_at: noon + retryWindow,
        lease_token: null,
        created_at: noon,
      },
    ]);
  });

  test('each attempt of a delivery is kept, with how it went', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    const { deliveries } = trade.store;
    const attempts = [
      anAttempt({ startedAt: noon, duration: 31, status: 503, excerpt: 'später “bitte”' }),
      anAttempt({ startedAt: noon + 5_000, status: null, error: 'timeout', excerpt: '' }),
      anAttempt({ startedAt: noon + 20_000 }),
    ];
    for (const [index, attempt] of attempts.entries()) {
      const now = attempt.startedAt;
      const request = { now, leaseUntil: now + 1_000, token: `claim-${index}`, limit: 1 };
      const [delivery] = await deliveries.claimDue(request);
      if (delivery === undefined) throw new Error('the delivery is due');
      const last = index === attempts.length - 1;
      await deliveries.recordAttempts([
        {
          deliveryId: delivery.id,
          token: delivery.token,
          number: delivery.attempts + 1,
          attempt,
          state: last ? 'delivered' : 'pending',
          nextAttemptAt: attempts[index + 1]?.startedAt ?? null,
        },
      ]);
    }
    expect(
      rows(
        'SELECT number, started_at, duration, status, error, excerpt FROM attempts ORDER BY number',
      ),
    ).toEqual(
      attempts.map(({ startedAt, duration, status, error, excerpt }, index) => ({
        number: index + 1,
        started_at: startedAt,
        duration,
        status,
        error,
        excerpt,
      })),
    );
    expect(rows('SELECT state, attempts, due_at, lease_token FROM deliveries')).toEqual([
      { state: 'delivered', attempts: 3, due_at: null, lease_token: null },
    ]);
  });

  test('no attempt is kept with a stale claim, nor where none was made', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    const request = { now: noon, leaseUntil: noon + 1_000, token: 'mine', limit: 1 };
    const [delivery] = await trade.store.deliveries.claimDue(request);
    if (delivery === undefined) throw new Error('the delivery is due');
    const outcome = { deliveryId: delivery.id, state: 'failed', nextAttemptAt: null } as const;
    await trade.store.deliveries.recordAttempts([
      { ...outcome, token: 'stale', number: 1, attempt: anAttempt() },
      { ...outcome, token: 'mine', number: 0, attempt: null },
    ]);
    expect(rows('SELECT state, attempts FROM deliveries')).toEqual([
      { state: 'failed', attempts: 0 },
    ]);
    expect(rows('SELECT * FROM attempts')).toEqual([]);
  });

  test('no API key is kept, only its hash', async () => {
    const keys = rows('SELECT * FROM api_keys');
    expect(keys).toHaveLength(3);
    expect(JSON.stringify(keys)).not.toMatch(/tpk_\w{5,}/);
  });
});
