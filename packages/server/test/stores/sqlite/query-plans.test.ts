import { type AccountKind, accountKinds, orderSorts } from '@tradepost/contract';
import { Announcements } from '@tradepost/domain/events/announcements';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { OrderFilter } from '@tradepost/domain/orders/order-store';
import { aCaller, noon } from '@tradepost/domain/test/builders';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createSqliteAccountStore } from '../../../src/stores/sqlite/accounts';
import { createSqliteNotificationStore } from '../../../src/stores/sqlite/notifications';
import { createSqliteOrderStore } from '../../../src/stores/sqlite/orders';
import { PlannedDatabase } from '../../helpers/planned-database';

const db = new PlannedDatabase(':memory:');

beforeEach(() => {
  db.plans.length = 0;
});
afterAll(() => db.close());

const statuses = [{}, { statuses: ['pending'] }] as const;
const spans = [
  {},
  { createdAfter: noon },
  { createdBefore: noon },
  { createdAfter: noon, createdBefore: noon + 1 },
];
const afters: (PageKey | null)[] = [null, { createdAt: noon, id: 'ord_1' }];
const orderLists: { kind: AccountKind; filter: OrderFilter; after: PageKey | null }[] =
  accountKinds.flatMap((kind) =>
    statuses.flatMap((status) =>
      spans.flatMap((span) =>
        afters.map((after) => ({ kind, filter: { ...status, ...span }, after })),
      ),
    ),
  );

/** The bounds of a page in a plan: at most one at either end. */
function boundsIn(hasLower: boolean, hasUpper: boolean): string {
  const lower = hasLower ? ' AND (created_at,id)>(?,?)' : '';
  return lower + (hasUpper ? ' AND (created_at,id)<(?,?)' : '');
}

describe('by the query plans,', () => {
  test.each(orderLists)(
    '$kind lists orders by one range of one index: $filter after $after',
    async (list) => {
      const { kind, filter, after } = list;
      await createSqliteOrderStore(db, new Announcements()).listOrders(aCaller({ kind }), filter, {
        after,
        limit: 51,
      });
      const byStatus = filter.statuses === undefined ? '' : '_by_status';
      const equal = `${kind}_id=?${byStatus && ' AND status=?'}`;
      const bounds = boundsIn(
        filter.createdAfter !== undefined,
        filter.createdBefore !== undefined || after !== null,
      );
      expect(db.plans).toEqual([
        `SEARCH orders USING INDEX orders_of_${kind}${byStatus} (${equal}${bounds})`,
      ]);
    },
  );

  test.each(
    accountKinds.flatMap((kind) =>
      (['createdAt', 'updatedAt', '-updatedAt'] as const).flatMap((sort) =>
        afters.map((after) => ({ kind, sort, after })),
      ),
    ),
  )('$kind lists orders by one range of one index: $sort after $after', async (list) => {
    const { kind, sort, after } = list;
    const page = { after, limit: 51, sort };
    await createSqliteOrderStore(db, new Announcements()).listOrders(aCaller({ kind }), {}, page);
    const byUpdate = sort.endsWith('updatedAt') ? '_by_update' : '';
    const time = byUpdate === '' ? 'created_at' : 'updated_at';
    const bound = after === null ? '' : ` AND (${time},id)${sort.startsWith('-') ? '<' : '>'}(?,?)`;
    expect(db.plans).toEqual([
      `SEARCH orders USING INDEX orders_of_${kind}${byUpdate} (${kind}_id=?${bound})`,
    ]);
  });

  test('a list of orders with several statuses is a range of one index for each', async () => {
    const filter: OrderFilter = { statuses: ['pending', 'confirmed'] };
    const page = { after: null, limit: 51 };
    const seller = aCaller({ kind: 'seller' });
    await createSqliteOrderStore(db, new Announcements()).listOrders(seller, filter, page);
    const range = 'SEARCH orders USING INDEX orders_of_seller_by_status (seller_id=? AND status=?)';
    expect(db.plans).toEqual([range, range]);
  });

  test.each(orderSorts)(
    'each step of a search for orders by %s is a range of one index without a sort',
    async (sort) => {
      const filter = { listingId: 'lst_1' };
      const page = { after: null, limit: 51, sort };
      const agent = aCaller({ kind: 'agent' });
      await createSqliteOrderStore(db, new Announcements()).listOrders(agent, filter, page);
      const isByUpdate = sort.endsWith('updatedAt');
      const time = isByUpdate ? 'updated_at' : 'created_at';
      const bounds = ` AND (${time},id)>(?,?) AND (${time},id)<(?,?)`;
      const index = `orders_of_agent${isByUpdate ? '_by_update' : ''}`;
      const [cut, step] = db.plans;
      expect(cut).toContain(` INDEX ${index} (agent_id=?${bounds})`);
      expect(step).toBe(`SEARCH orders USING INDEX ${index} (agent_id=?${bounds})`);
      expect(db.plans).toHaveLength(2);
    },
  );

  test.each([
    { filter: {}, index: 'notifications_of_account', equal: 'account_id=?' },
    ...[false, true].map((read) => ({
      filter: { read },
      index: 'notifications_of_account_by_read',
      equal: 'account_id=? AND read=?',
    })),
  ])(
    'notifications are listed by one range of one index: $filter',
    async ({ filter, index, equal }) => {
      for (const after of afters) {
        db.plans.length = 0;
        await createSqliteNotificationStore(db).listNotifications('usr_1', filter, {
          after,
          limit: 51,
        });
        const bounds = boundsIn(false, after !== null);
        expect(db.plans).toEqual([`SEARCH notifications USING INDEX ${index} (${equal}${bounds})`]);
      }
    },
  );

  test('keys are found by their hash and id, and listed by their account without a sort', async () => {
    const accounts = createSqliteAccountStore(db);
    const key = 'SEARCH api_keys USING PRIMARY KEY (id=?)';
    const getPlans = async (work: () => Promise<unknown>) => {
      db.plans.length = 0;
      await work();
      return [...db.plans];
    };
    expect(await getPlans(() => accounts.findKeyByHash('hash'))).toEqual([
      'SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_2 (hash=?)',
      'SEARCH accounts USING PRIMARY KEY (id=?)',
    ]);
    expect(await getPlans(() => accounts.listKeys('usr_1'))).toEqual([
      'SEARCH api_keys USING INDEX api_keys_of_account (account_id=?)',
    ]);
    // This query reads all keys, in the order of the table.
    expect(await getPlans(() => accounts.listKeys())).toEqual(['SCAN api_keys']);
    expect(await getPlans(() => accounts.findKeyOwner('key_1'))).toEqual([key]);
    expect(await getPlans(() => accounts.revokeKey('key_1', noon))).toEqual([key, key]);
  });

  test('one notification and one order are found by their ID', async () => {
    await createSqliteNotificationStore(db).markRead('usr_1', 'ntf_1');
    await createSqliteOrderStore(db, new Announcements()).findOrder('ord_1');
    expect(db.plans).toEqual([
      'SEARCH notifications USING PRIMARY KEY (id=?)',
      'SEARCH notifications USING PRIMARY KEY (id=?)',
      'SEARCH orders USING PRIMARY KEY (id=?)',
    ]);
  });
});
