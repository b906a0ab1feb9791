import { type LeasedDelivery, leaseMs, retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { aResult, leaseDue, rejectedResult } from '../../helpers/leasing';
import { expectDirect, PlannedDatabase } from '../../helpers/planned-database';
import { Trade } from '../../helpers/trade';

let db: PlannedDatabase;
let trade: Trade;
let store: Store;

beforeEach(async () => {
  db = new PlannedDatabase(':memory:');
  onTestFinished(() => db.close());
  store = createStore(db);
  trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created']);
  await trade.subscribe(trade.buyer, ['order.created']);
  for (let count = 0; count < 6; count += 1) await trade.place();
  db.plans.length = 0;
});

/** Returns the plan steps on deliveries and their queues since the last call, each step once. */
function steps(): string[] {
  // A row of constants is not a table scan.
  const plans = db.plans.filter((step) => step !== 'SCAN CONSTANT ROW');
  db.plans.length = 0;
  expectDirect(plans);
  return [...new Set(plans.filter((step) => /(deliveries|queues) /.test(step)))];
}

const byRow = 'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?)';
const byLease = 'SEARCH deliveries USING COVERING INDEX deliveries_leased (lease_until<?)';
const dueOnes = 'SEARCH deliveries USING INDEX deliveries_due (webhook_id=? AND due_at<?)';
const firstDue =
  'SEARCH deliveries USING COVERING INDEX deliveries_due (webhook_id=? AND due_at>?)';
const byDeadline = 'SEARCH deliveries USING INDEX deliveries_by_deadline (deadline_at<?)';
const queue = 'SEARCH queues USING PRIMARY KEY (webhook_id=?)';
const readyQueues = 'SEARCH queues USING COVERING INDEX queues_next (next_at<?)';

/** The cost of each query of the engine is independent of the length of the queues. */
describe('the engine', () => {
  async function leased(now = noon, limit = 100): Promise<LeasedDelivery[]> {
    const deliveries = await leaseDue(store, now, limit);
    expect(deliveries.length).toBeGreaterThan(0);
    return deliveries;
  }

  test('leases due deliveries through the ready queues', async () => {
    await leased(noon, 2);
    expect(steps().sort()).toEqual([byLease, dueOnes, byRow, readyQueues, queue, firstDue].sort());
  });

  test('finds ended leases by their end', async () => {
    await leased();
    steps();
    await leased(noon + leaseMs);
    expect(steps()).toContain(byLease);
  });

  test('records results by the rows that the lease token names', async () => {
    const [first, second, third] = await leased();
    if (!(first && second && third)) throw new Error('several are due');
    steps();
    const outcomes = [aResult(first), rejectedResult(second, noon), aResult(third)];
    await store.deliveries.recordAttempts(outcomes, noon);
    expect(steps().sort()).toEqual([byRow, queue, firstDue].sort());
  });

  test('reads the next due time from the heads of two indexes', async () => {
    await leased();
    steps();
    await store.deliveries.nextDueAt();
    expect(steps().sort()).toEqual([
      'SEARCH deliveries USING COVERING INDEX deliveries_leased (lease_until>?)',
      'SEARCH queues USING COVERING INDEX queues_next (next_at>?)',
    ]);
  });

  test('finds waiting deliveries by queue and end when the clock is set, a page at a time', async () => {
    const outcomes = (await leased()).map((delivery) => rejectedResult(delivery, noon));
    await store.deliveries.recordAttempts(outcomes, noon);
    db.plans.length = 0;
    await store.deliveries.adjustToClock({ expected: noon, now: noon - retryWindowMs });
    const plans = db.plans.filter((step) => / deliveries /.test(step));
    expect(new Set(plans)).toEqual(
      new Set([
        'SEARCH deliveries USING COVERING INDEX deliveries_leased (lease_until>?)',
        'SEARCH deliveries USING INDEX deliveries_due (webhook_id=? AND due_at=? AND rowid>?)',
        'SEARCH deliveries USING INDEX deliveries_due (webhook_id=? AND due_at>?)',
        byRow,
        firstDue,
      ]),
    );
    expect(db.plans.filter((step) => /TEMP B-TREE|SCAN/.test(step))).toEqual(['SCAN queues']);
  });

  test('finds overdue deliveries by their deadline', async () => {
    const request = { now: noon + retryWindowMs + 1, limit: 3 };
    expect(await store.deliveries.failOverdue(request)).toBe(3);
    expect(steps().sort()).toEqual([byDeadline, byRow, queue, firstDue].sort());
  });

  test('updates only the queue of a new delivery', async () => {
    await trade.place();
    expect(steps()).toEqual([queue]);
  });
});
