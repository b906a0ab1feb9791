import type { AccountStore } from '@tradepost/domain/accounts/account';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { anAccount, noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { KeyUsage } from '../../src/kernel/api-key';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { aKey } from '../helpers/a-key';
import { CapturedLog } from '../helpers/captured-log';

const minute = 60_000;

let accounts: AccountStore;
let clock: FakeClock;
let log: CapturedLog;
let one: string;
let other: string;
/** Each batch that was passed to the store. */
let batches: ReadonlyMap<string, number>[];

beforeEach(async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  accounts = store.accounts;
  clock = new FakeClock(noon + 1_234);
  log = new CapturedLog();
  batches = [];
  const account = anAccount();
  const keys = [aKey({ accountId: account.id }).record, aKey({ accountId: account.id }).record];
  const [first, second] = keys;
  if (!(first && second)) throw new Error('two keys were made');
  await accounts.addAccount(account, first);
  await accounts.addKey(second);
  [one, other] = [first.id, second.id];
});

/** Tracks uses. `record` stores a batch and may fail. */
function track(record = accounts.recordKeyUses): KeyUsage {
  const recordBatch = (uses: ReadonlyMap<string, number>) => {
    batches.push(uses);
    return record(uses);
  };
  const usage = new KeyUsage(recordBatch, clock, log.log);
  onTestFinished(() => usage.stop());
  return usage;
}

async function readLastUse(id: string): Promise<number | null | undefined> {
  return (await accounts.findKeyOwner(id))?.key.lastUsedAt;
}

describe('the last use of API keys', () => {
  test('is stored within a minute, rounded down to the minute', async () => {
    const usage = track();
    usage.touch(one);
    await clock.advance(minute - 1);
    expect(await readLastUse(one)).toBeNull();
    await clock.advance(1);
    expect(await readLastUse(one)).toBe(noon);
    expect(await readLastUse(other)).toBeNull();
  });

  test('is stored in one batch a minute, however many requests there are', async () => {
    const usage = track();
    for (let second = 0; second < 120; second += 1) {
      for (let request = 0; request < 50; request += 1) usage.touch(request % 2 ? one : other);
      await clock.advance(1_000);
    }
    expect(batches.map(({ size }) => size)).toEqual([2, 2]);
    expect(await readLastUse(one)).toBe(noon + 2 * minute);
  });

  test('is not stored again while the key is not used', async () => {
    const usage = track();
    usage.touch(one);
    await clock.advance(10 * minute);
    expect(batches).toHaveLength(1);
  });

  test('is stored at the stop, which leaves no timer', async () => {
    const usage = track();
    usage.touch(one);
    await usage.stop();
    expect(await readLastUse(one)).toBe(noon);
    expect(clock.pendingTimers).toBe(0);
    await usage.stop();
    expect(batches).toHaveLength(1);
  });

  test('is stored with the next batch if the store is unavailable, and a later use is kept', async () => {
    let isAvailable = false;
    const usage = track(async (uses) => {
      if (!isAvailable) throw new StoreUnavailableError('The database is locked.');
      await accounts.recordKeyUses(uses);
    });
    usage.touch(one);
    usage.touch(other);
    await clock.advance(minute);
    await log.next('the last use of API keys could not be stored; retrying');
    usage.touch(one);
    isAvailable = true;
    await clock.advance(minute);
    expect(await readLastUse(one)).toBe(noon + minute);
    expect(await readLastUse(other)).toBe(noon);
  });
});
