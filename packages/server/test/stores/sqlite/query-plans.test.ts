import { type AccountKind, accountKinds } from '@tradepost/contract';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderFilter } from '../../../src/orders/order-store';
import type { Position } from '../../../src/position';
import { sqliteAccounts } from '../../../src/stores/sqlite/accounts';
import { sqliteNotifications } from '../../../src/stores/sqlite/notifications';
import { sqliteOrders } from '../../../src/stores/sqlite/orders';
import { aCaller, noon } from '../../builders';
import { expectDirect, PlannedDatabase } from './planned-database';

const db = new PlannedDatabase(':memory:');

beforeEach(() => {
  db.plans.length = 0;
});
afterAll(() => db.close());

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

  test('keys are found by their hash and listed by their account without a sort', async () => {
    const accounts = sqliteAccounts(db);
    await accounts.findKeyByHash('hash');
    await accounts.listKeys('usr_1');
    await accounts.findHolder('key_1');
    await accounts.revokeKey('key_1', noon);
    expectDirect(db.plans);
  });

  test('one notification and one order are found by their id', async () => {
    await sqliteNotifications(db).markRead('usr_1', 'ntf_1');
    await sqliteOrders(db, () => {}).findOrder('ord_1');
    expectDirect(db.plans);
  });
});
