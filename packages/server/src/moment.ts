import type { Clock } from './clock';
import type { IdPrefix, NewId } from './ids';

/** The moment in which a change is decided: its time, and the ids that are made in it. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A new id that sorts by this moment. */
  newId(prefix: IdPrefix): string;
}

/** Takes the present moment. */
export function present(clock: Clock, newId: NewId): Moment {
  const now = clock.now();
  return { now, newId: (prefix) => newId(prefix, now) };
}
