import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountKind, accountKinds } from '../../../src/accounts/account';
import type { OrderFilter } from '../../../src/orders/order-store';
import type { Position } from '../../../src/position';
import { sqliteAccounts } from '../../../src/stores/sqlite/accounts';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { sqliteDeliveries } from '../../../src/stores/sqlite/deliveries';
import { sqliteNotifications } from '../../../src/stores/sqlite/notifications';
import { sqliteOrders } from '../../../src/stores/sqlite/orders';
import { aCaller, noon } from '../../builders';

/** A database that keeps the plan of every query that is made of it. */
class PlannedDatabase extends SqliteDatabase {
  readonly plans: string[] = [];

  override all<Row>(sql: string, ...values: unknown[]): Row[] {
    this.#explain(sql, values);
    return super.all<Row>(sql, ...values);
  }

  override get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    this.#explain(sql, values);
    return super.get<Row>(sql, ...values);
  }

  override run(sql: string, ...values: unknown[]): number {
    this.#explain(sql, values);
    return super.run(sql, ...values);
  }

  #explain(sql: string, values: unknown[]): void {
    const steps = super.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    this.plans.push(...steps.map(({ detail }) => detail));
  }
}

const db = new PlannedDatabase(':memory:');

beforeEach(() => {
  db.plans.length = 0;
});
afterAll(() => db.close());

/** Neither a walk through a whole table nor a sort: the cost grows with what is asked for, not with what is kept. */
function expectDirect(plans: string[]): void {
  expect(plans.length).toBeGreaterThan(0);
  for (const step of plans) expect(step).not.toMatch(/SCAN|TEMP B-TREE/);
}

const statuses = [{}, { status: 'pending' }] as const;
const spans = [
  {},
  { createdAfter: noon },
  { createdBefore: noon },
  { createdAfter: noon, createdBefore: noon + 1 },
];
const afters: (Position | null)[] = [null, { createdAt: noon, id: 'ord_1' }];
const orderLists: { kind: AccountKind; filter: OrderFilter; after: Position | null }[] =
  accountKinds.flatMap((kind) =>
    statuses.flatMap((status) =>
      spans.flatMap((span) =>
        afters.map((after) => ({ kind, filter: { ...status, ...span }, after })),
      ),
    ),
  );

describe('query plans', () => {
  test.each(orderLists)('$kind lists orders by an index: $filter after $after', async (list) => {
    const { kind, filter, after } = list;
    await sqliteOrders(db, () => {}).listOrders(aCaller({ kind }), filter, { after, limit: 51 });
    const index = filter.status === undefined ? `orders_of_${kind}` : `orders_of_${kind}_by_status`;
    expect(db.plans).toEqual([
      expect.stringMatching(new RegExp(`^SEARCH orders USING INDEX ${index} \\(`)),
    ]);
  });

  test.each([
    { filter: {}, index: 'notifications_of_account' },
    { filter: { read: false }, index: 'notifications_of_account_by_read' },
    { filter: { read: true }, index: 'notifications_of_account_by_read' },
  ])('notifications are listed by an index: $filter', async ({ filter, index }) => {
    for (const after of afters) {
      db.plans.length = 0;
      await sqliteNotifications(db).listNotifications('usr_1', filter, { after, limit: 51 });
      expect(db.plans).toEqual([
        expect.stringMatching(new RegExp(`^SEARCH notifications USING INDEX ${index} \\(`)),
      ]);
    }
  });

  test('the queue is looked into by when deliveries are due, whatever else it holds', async () => {
    const deliveries = sqliteDeliveries(db);
    await deliveries.claimDue({ now: noon, leaseUntil: noon + 1, token: 'mine', limit: 64 });
    await deliveries.nextDueAt();
    const ofQueue = db.plans.filter((step) => step.includes(' deliveries '));
    expect(ofQueue).toHaveLength(2);
    for (const step of ofQueue) expect(step).toMatch(/INDEX deliveries_due \(/);
    expectDirect(db.plans);
  });

  test('keys are found by their hash and listed by their account without a sort', async () => {
    const accounts = sqliteAccounts(db);
    await accounts.findKeyByHash('hash');
    await accounts.listKeys('usr_1');
    await accounts.revokeKey('key_1', noon);
    expectDirect(db.plans);
  });

  test('one notification and one order are found by their id', async () => {
    await sqliteNotifications(db).markRead('usr_1', 'ntf_1');
    await sqliteOrders(db, () => {}).findOrder('ord_1');
    expectDirect(db.plans);
  });
});
