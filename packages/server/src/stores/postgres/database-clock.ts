import { type Clock, systemClock } from '@tradepost/domain/kernel/context';
import type { Queries } from './database';

/** How often the clock is compared with the database, in milliseconds. */
const intervalMs = 10_000;
/** How often it is compared at a time. The fastest response is the most exact one. */
const samples = 3;

interface Sample {
  /** What to add to `performance.now()`, in milliseconds. */
  offset: number;
  /** How wrong it may be: half the time that the response took. */
  error: number;
}

/**
 * The clock of a database, so that all processes agree on what is due, even if the clocks of their hosts differ. It counts elapsed
 * time, which no setting of a clock changes, from the time of the database, and compares both every ten seconds. If the database
 * does not respond, it continues to count.
 */
export class DatabaseClock implements Clock {
  readonly isReal = true;
  readonly #db: Queries;
  #current: Sample;
  #cancelTimer: () => void = () => {};

  private constructor(db: Queries, current: Sample) {
    this.#db = db;
    this.#current = current;
  }

  /** Reads the clock of a database. */
  static async start(db: Queries): Promise<DatabaseClock> {
    const clock = new DatabaseClock(db, await measure(db));
    clock.#schedule();
    return clock;
  }

  now(): number {
    return Math.floor(performance.now() + this.#current.offset);
  }

  elapsed(): number {
    return systemClock.elapsed();
  }

  schedule(milliseconds: number, work: () => void): () => void {
    return systemClock.schedule(milliseconds, work);
  }

  /** Stops comparing. */
  stop(): void {
    this.#cancelTimer();
  }

  /** Compares with the database now. */
  async adjust(): Promise<void> {
    const measured = await measure(this.#db);
    const { offset, error } = this.#current;
    // Otherwise each comparison would move the clock by what the network makes of it.
    const isSame = Math.abs(measured.offset - offset) <= measured.error + error;
    if (!isSame || measured.error < error) this.#current = measured;
  }

  #schedule(): void {
    this.#cancelTimer = this.schedule(intervalMs, () => {
      void this.adjust()
        .catch(() => {})
        .finally(() => this.#schedule());
    });
  }
}

async function measureOnce(db: Queries): Promise<Sample> {
  const before = performance.now();
  const row = await db.row<{ now: string }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS now',
  );
  const error = (performance.now() - before) / 2;
  return { offset: Number(row?.now) - before - error, error };
}

async function measure(db: Queries): Promise<Sample> {
  let best = await measureOnce(db);
  for (let count = 1; count < samples; count += 1) {
    const sample = await measureOnce(db);
    if (sample.error < best.error) best = sample;
  }
  return best;
}
