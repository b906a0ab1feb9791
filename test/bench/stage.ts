import type { Workplace } from './bench-environment';
import type { LongQueue } from './long-queue';

/** What a bench is given to work with. */
export interface Stage {
  place: Workplace;
  /** Whether it is to be tiny: one round and small sizes, to see that it runs. */
  quick: boolean;
  /** Tells how far it is. */
  say(progress: string): void;
  /** Makes a database with a very long queue, once for all benches that need one: it takes a while. */
  longQueue(): Promise<LongQueue>;
}
