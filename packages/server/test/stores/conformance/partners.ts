import type { Account } from '@tradepost/domain/accounts/account';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { anAccount, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aKey } from '../../helpers/a-key';
import { addCaller, Trade } from '../../helpers/trade';
import { insertOrder } from './order-lists';
import type { StoreUnderTest } from './store-under-test';

/** Adds an account with this name, of a buyer by default. */
async function addNamed({ store }: Trade, name: string): Promise<Account> {
  const account = anAccount({ kind: 'buyer', name });
  await store.accounts.addAccount(account, aKey({ accountId: account.id }).record);
  return account;
}

/** Reads all partners page by page. */
async function readPartners(
  { store }: Trade,
  accountId: string,
  { name, limit = 10 }: { name?: string; limit?: number } = {},
): Promise<Account[]> {
  const found: Account[] = [];
  for (let after: PageKey | null | undefined = null; after !== undefined; ) {
    const page = await store.partners.listPartners(accountId, name, { after, limit });
    found.push(...page);
    after = page.length === limit ? page.at(-1) : undefined;
  }
  return found;
}

const getIds = (accounts: Account[]) => accounts.map(({ id }) => id);

/** Partners: the accounts with which an account has traded. */
export function describePartners(underTest: StoreUnderTest): void {
  describe('partners', () => {
    test('the accounts of an order are partners of each other, and of no one else', async () => {
      const trade = await Trade.open(underTest.current);
      const other = await Trade.open(underTest.current);
      await trade.place();
      await other.place();
      const parties = [trade.buyer, trade.seller, trade.agent].map(({ accountId }) => accountId);
      for (const id of parties) {
        const others = parties.filter((one) => one !== id);
        expect(getIds(await readPartners(trade, id))).toEqual(others.sort().reverse());
      }
    });

    test('an account without an order has no partners, and an order without an agent two', async () => {
      const trade = await Trade.open(underTest.current, { agentId: null });
      const { buyer, seller, agent } = trade;
      expect(await readPartners(trade, buyer.accountId)).toEqual([]);
      await trade.place();
      expect(getIds(await readPartners(trade, buyer.accountId))).toEqual([seller.accountId]);
      expect(getIds(await readPartners(trade, seller.accountId))).toEqual([buyer.accountId]);
      expect(await readPartners(trade, agent.accountId)).toEqual([]);
    });

    test('pages of any size have each partner of the orders once, newest account first', async () => {
      const orders = fc.array(fc.nat({ max: 4 }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(orders, fc.integer({ min: 1, max: 4 }), async (rows, limit) => {
          const trade = await Trade.open(underTest.current);
          const buyers = await Promise.all(
            [0, 1, 2, 3, 4].map(() => addCaller(trade.store, 'buyer')),
          );
          await Promise.all(
            rows.map((row) => insertOrder(trade, noon, 'pending', { buyer: buyers[row] })),
          );
          const { seller, agent } = trade;
          const page = { after: null, limit: 100 };
          const listed = await trade.store.orders.listOrders(seller, {}, page);
          const parties = listed.flatMap(({ buyerId, agentId }) => [buyerId, agentId]);
          const expected = [...new Set(parties)].filter((id) => id !== null);
          const found = await readPartners(trade, seller.accountId, { limit });
          expect(getIds(found)).toEqual(expected.sort().reverse());
          const named = await readPartners(trade, agent.accountId, { name: 'street', limit });
          expect(named).toHaveLength(expected.length);
        }),
        { numRuns: 30 },
      );
    });

    test.each([
      ['cafe', ['Café Straße', 'CAFETERIA']],
      ['CAFÉ', ['Café Straße', 'CAFETERIA']],
      ['SS', ['Café Straße']],
      ['ΟΔΟΣ', ['Οδός 5']],
      ['йога', ['ЙОГА']],
      ['%', ['100 % Tea']],
      ['_', []],
      ["o'", ["O'Neill"]],
      // An accent alone.
      ['\u0301', ['Café Straße', 'Οδός 5']],
      ['\u0300', []],
    ])('the name %j finds partners by a part of their name', async (name, expected) => {
      const trade = await Trade.open(underTest.current, { agentId: null });
      const names = ['Café Straße', 'CAFETERIA', 'Οδός 5', 'ЙОГА', '100 % Tea', "O'Neill"];
      for (const one of names) {
        const { id } = await addNamed(trade, one);
        const buyer = { ...trade.buyer, accountId: id };
        await insertOrder(trade, noon, 'pending', { buyer });
      }
      await addNamed(trade, 'Café of no one');
      const found = await readPartners(trade, trade.seller.accountId, { name });
      expect(found.map((account) => account.name).sort()).toEqual([...expected].sort());
    });

    test('a search by name is cancelled by its signal', async () => {
      const { store, seller } = await Trade.open(underTest.current);
      const page = { after: null, limit: 10 };
      const search = store.partners.listPartners(seller.accountId, 'a', page, AbortSignal.abort());
      await expect(search).rejects.toThrow('aborted');
    });

    test('orders of the same accounts that are placed at once are stored together', async () => {
      const trade = await Trade.open(underTest.current);
      await Promise.all(Array.from({ length: 10 }, () => trade.place({ quantity: 1 })));
      expect(await readPartners(trade, trade.buyer.accountId)).toHaveLength(2);
    });
  });
}
