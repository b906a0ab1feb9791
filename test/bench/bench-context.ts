import type { BenchEnvironment } from './bench-environment';
import type { LongQueue } from './long-queue';

/** What a bench works with. */
export interface BenchContext {
  environment: BenchEnvironment;
  /** Whether to use one round and small sizes, only to check that the bench runs. */
  quick: boolean;
  /** Logs progress. */
  log(progress: string): void;
  /** Creates a database with a very long queue, once for all benches that need it, since it takes long. */
  longQueue(): Promise<LongQueue>;
}
