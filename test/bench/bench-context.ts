import type { BenchEnvironment } from './bench-environment';
import type { LongQueue } from './long-queue';

/** What a bench works with. */
export interface BenchContext {
  environment: BenchEnvironment;
  /** Whether to use one round and small sizes, only to check that the bench runs. */
  quick: boolean;
  /** `tradepost-server` of another, built checkout: the baseline of figures that have no other one. Null without one. */
  otherServer: string | null;
  /** Logs progress. */
  log(progress: string): void;
  /** Creates a database with a very long queue, once for all benches that need it, since it takes long. */
  longQueue(): Promise<LongQueue>;
}
