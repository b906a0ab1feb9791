import { expect, test } from 'vitest';
import { Summaries, type SummaryStore } from '../../src/summary/summary';
import { aCaller } from '../helpers/builders';
import { FakeClock } from '../helpers/fake-clock';

/** A store that counts how often it is asked, by account. */
function aStore() {
  const asked: string[] = [];
  let failures = 0;
  const store: SummaryStore = {
    async countAccount({ accountId }, limit) {
      asked.push(accountId);
      if (failures > 0) {
        failures -= 1;
        throw new Error('The database is away.');
      }
      const orders = {
        pending: limit,
        confirmed: 1_000,
        fulfilling: 0,
        completed: 0,
        cancelled: 0,
      };
      return { orders, unread: 0, webhooks: { active: 0, paused: 0, disabled: 0, backoff: 0 } };
    },
  };
  return { store, asked, fail: () => (failures = 1) };
}

test('more than the limit are at least the limit, and exactly the limit are not', async () => {
  const { store } = aStore();
  const { orders } = await new Summaries(store, new FakeClock()).get(aCaller());
  expect(orders.pending).toEqual({ count: 1_000, atLeast: true });
  expect(orders.confirmed).toEqual({ count: 1_000, atLeast: false });
});

test('requests at the same time are counted once, and an error is not remembered', async () => {
  const { store, asked, fail } = aStore();
  const summaries = new Summaries(store, new FakeClock());
  const caller = aCaller();
  fail();
  const results = await Promise.allSettled([summaries.get(caller), summaries.get(caller)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toHaveLength(1);
  await Promise.all([summaries.get(caller), summaries.get(caller)]);
  expect(asked).toHaveLength(2);
});

test('the summaries of many accounts take a bounded place: those that were counted first are forgotten', async () => {
  const { store, asked } = aStore();
  const summaries = new Summaries(store, new FakeClock());
  const callers = Array.from({ length: 10_001 }, (_, index) =>
    aCaller({ accountId: `usr_${index}` }),
  );
  for (const caller of callers) await summaries.get(caller);
  const [first = aCaller(), second = aCaller()] = callers;
  await summaries.get(second);
  expect(asked).toHaveLength(10_001);
  await summaries.get(first);
  expect(asked).toHaveLength(10_002);
});
