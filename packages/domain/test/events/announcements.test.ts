import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { LongPollRegistry } from '../../src/events/announcements';
import { FakeClock } from '../helpers/fake-clock';

const unending = () => new AbortController().signal;

let clock: FakeClock;
let waiters: LongPollRegistry;

beforeEach(() => {
  clock = new FakeClock();
  waiters = new LongPollRegistry(clock);
});

/** Waits, and records the result. */
function wait(accountId: string, milliseconds = 1_000, over = unending()) {
  const noted: { shouldPollAgain: boolean | null } = { shouldPollAgain: null };
  const ended = waiters.wait(accountId, milliseconds, over).then((worth) => {
    noted.shouldPollAgain = worth;
  });
  return { noted, ended };
}

describe('waiting requests for events', () => {
  test('end when their account is notified, and may wait again', async () => {
    const mine = wait('usr_1');
    const also = wait('usr_1');
    const theirs = wait('usr_2');
    waiters.notify(['usr_3', 'usr_1']);
    await Promise.all([mine.ended, also.ended]);
    expect([mine, also, theirs].map(({ noted }) => noted.shouldPollAgain)).toEqual([
      true,
      true,
      null,
    ]);
    expect(clock.pendingTimers).toBe(1);
  });

  test('end when their time is over, not before', async () => {
    const { noted, ended } = wait('usr_1', 250);
    await clock.advance(249);
    expect(noted.shouldPollAgain).toBeNull();
    await clock.advance(1);
    await ended;
    expect(noted.shouldPollAgain).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  test('end when they are cancelled, and do not wait again', async () => {
    const over = new AbortController();
    const { noted, ended } = wait('usr_1', 1_000, over.signal);
    over.abort();
    await ended;
    expect(noted.shouldPollAgain).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  test('end at once if they were already cancelled', async () => {
    expect(await waiters.wait('usr_1', 1_000, AbortSignal.abort())).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  test('end when all are released, and no new ones start', async () => {
    const waits = [wait('usr_1'), wait('usr_2')];
    waiters.release();
    await Promise.all(waits.map(({ ended }) => ended));
    expect(waits.map(({ noted }) => noted.shouldPollAgain)).toEqual([false, false]);
    expect(await waiters.wait('usr_1', 1_000, unending())).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  test('are limited to 100 of an account; one that ends makes room', async () => {
    const over = new AbortController();
    const [first] = Array.from({ length: 100 }, (_, index) =>
      wait('usr_1', 1_000, index === 0 ? over.signal : unending()),
    );
    expect(await waiters.wait('usr_1', 1_000, unending())).toBe(false);
    const other = wait('usr_2');
    expect(other.noted.shouldPollAgain).toBeNull();
    over.abort();
    await first?.ended;
    const again = wait('usr_1');
    expect(clock.pendingTimers).toBe(101);
    waiters.notify(['usr_1']);
    await again.ended;
    expect(clock.pendingTimers).toBe(1);
  });

  test('may be notified when there are none', () => {
    expect(() => waiters.notify(['usr_1'])).not.toThrow();
  });

  test('each end once, by whichever comes first, and leave no timer and no listener', async () => {
    const accounts = fc.constantFrom('usr_1', 'usr_2', 'usr_3');
    const step = fc.oneof(
      fc.record({ verb: fc.constant('wait' as const), of: accounts, time: fc.nat(30) }),
      fc.record({ verb: fc.constant('announce' as const), of: accounts, time: fc.constant(0) }),
      fc.record({ verb: fc.constant('hang up' as const), of: accounts, time: fc.nat(9) }),
      fc.record({ verb: fc.constant('pass' as const), of: accounts, time: fc.nat(20) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        clock = new FakeClock();
        waiters = new LongPollRegistry(clock);
        const waits: { of: string; ends: number; over: AbortController; due: number }[] = [];
        const going = () => waits.filter(({ ends }) => ends === 0);
        for (const { verb, of, time } of steps) {
          if (verb === 'wait') {
            const one = { of, ends: 0, over: new AbortController(), due: clock.now() + time };
            waits.push(one);
            void waiters.wait(of, time, one.over.signal).then(() => {
              one.ends += 1;
            });
          } else if (verb === 'announce') waiters.notify([of]);
          else if (verb === 'hang up') waits[time]?.over.abort();
          const expected = going().filter((one) => {
            if (verb === 'announce' && one.of === of) return false;
            if (verb === 'hang up' && one.over.signal.aborted) return false;
            return !(verb === 'pass' && one.due <= clock.now() + time);
          });
          await clock.advance(verb === 'pass' ? time : 0);
          // A wait of 0 ms ends in the next turn.
          expect(going()).toEqual(expected.filter(({ due }) => due > clock.now()));
          expect(clock.pendingTimers).toBe(going().length);
        }
        waiters.release();
        await clock.advance(0);
        expect(waits.every(({ ends }) => ends === 1)).toBe(true);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
