import type { BenchEnvironment } from './bench-environment';
import type { LongQueue } from './long-queue';

/** What a bench works with. */
export interface BenchContext {
  environment: BenchEnvironment;
  /** Whether to use one round and small sizes, only to check that the bench runs. */
  quick: boolean;
  /** The folder of another, built checkout with which the server is compared. Null without one. */
  otherCheckout: string | null;
  /** Logs progress. */
  log(progress: string): void;
  /** Creates a database with a very long queue, once for all benches that need it, since it takes long. */
  longQueue(): Promise<LongQueue>;
}
