import { createMemoryStore } from '@tradepost/domain/memory/memory-store';
import type { RetentionStore } from '@tradepost/domain/retention/retention-store';
import { anAccount, noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { expect, test } from 'vitest';
import { createAccountTask } from '../../src/retention/account-retention';
import type { PruneTask } from '../../src/retention/prune-task';
import { resolveRetention } from '../../src/retention/retention';
import { aKey } from '../helpers/a-key';

const hour = 60 * 60 * 1000;

/** Creates the task over a store with accounts that have times of their own but no data, and counts the look-ups of its steps. */
async function open(accountCount: number) {
  const { accounts, deliveries, retention } = createMemoryStore();
  const seen: (string | null)[] = [];
  const pruned: string[] = [];
  const state = { broken: false };
  const counting: RetentionStore = {
    ...retention,
    findRetainingAccount(after) {
      seen.push(after);
      return retention.findRetainingAccount(after);
    },
    async pruneAccountNotifications(request) {
      if (state.broken) throw new Error('the disk is full');
      pruned.push(request.accountId);
      return await retention.pruneAccountNotifications(request);
    },
  };
  const ids: string[] = [];
  for (let count = 0; count < accountCount; count += 1) {
    const account = { ...anAccount(), keepNotifications: 7 };
    await accounts.addAccount(account, aKey({ accountId: account.id }).record);
    ids.push(account.id);
  }
  const clock = new FakeClock(noon);
  const retentionDays = resolveRetention();
  const dependencies = { accounts, deliveries, retention: counting, retentionDays, clock };
  const task = createAccountTask(dependencies);
  return { task, clock, seen, pruned, state, ids: ids.toSorted() };
}

/** Runs steps until nothing is left to do. Returns how many. */
async function runPass(task: PruneTask): Promise<number> {
  for (let steps = 1; ; steps += 1) if ((await task.step()).done) return steps;
}

test('accounts with times of their own are visited once an hour, several in a step', async () => {
  const { task, clock, seen, pruned, ids } = await open(25);
  expect(await runPass(task)).toBe(3);
  expect(pruned).toEqual(ids);
  expect(seen).toEqual([null, ...ids]);
  await clock.advance(hour - 1);
  expect(await runPass(task)).toBe(1);
  expect(seen).toHaveLength(26);
  await clock.advance(1);
  await runPass(task);
  expect(pruned).toEqual([...ids, ...ids]);
  clock.set(noon - hour);
  await runPass(task);
  expect(pruned).toHaveLength(75);
});

test('after an error the pass continues with the account at which it occurred', async () => {
  const { task, pruned, seen, state, ids } = await open(2);
  state.broken = true;
  await expect(task.step()).rejects.toThrow('the disk is full');
  state.broken = false;
  await runPass(task);
  expect(pruned).toEqual(ids);
  expect(seen).toEqual([null, ...ids]);
});
