import type { Store } from '../../../src/stores/store';

/** The store that a test of the conformance suite uses: a new, empty one for each test. */
export interface StoreUnderTest {
  /** The open store. */
  readonly current: Store;
  /** Closes the store and opens it again in the same place, as a restart does. */
  reopen(): Promise<Store>;
  /** Replaces the store by a new, empty one, for each run of a property test. */
  renew(): Promise<Store>;
}
