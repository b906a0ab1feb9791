import { randomFillSync } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';

/** What an id can belong to. Source: the interface, "Resources and their fields". */
export type IdPrefix = 'ord' | 'usr' | 'lst' | 'ntf' | 'whk' | 'evt' | 'dlv' | 'tsk' | 'key';

/** Makes an id such as `ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH` that sorts by `now`, in milliseconds. */
export type NewId = (prefix: IdPrefix, now: number) => string;

const pool = new Uint32Array(256);
let unused = 0;

function secureRandom(): number {
  if (unused === 0) {
    randomFillSync(pool);
    unused = pool.length;
  }
  unused -= 1;
  return (pool[unused] ?? 0) / 2 ** 32;
}

/**
 * A maker of ids that go up even within one millisecond and when the clock steps back.
 *
 * @param random Numbers from 0 to below 1; from the system's secure source unless told.
 */
export function createIds(random: () => number = secureRandom): NewId {
  const next = monotonicFactory(random);
  return (prefix, now) => `${prefix}_${next(now)}`;
}

/**
 * A text that sorts before every id that is made at a time or after it, and behind all that are older.
 *
 * @param now Milliseconds since 1970; what lies before counts as 1970.
 */
export function idFloor(prefix: IdPrefix, now: number): string {
  return `${prefix}_${encodeTime(Math.max(0, now))}`;
}
