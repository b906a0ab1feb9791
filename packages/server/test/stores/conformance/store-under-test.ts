import type { Store } from '../../../src/stores/store';

/** The store that a test of the conformance suite works on: a new, empty one for each test. */
export interface StoreUnderTest {
  /** The store as it is open now. */
  readonly current: Store;
  /** Closes the store and opens it again in the same place, as a restart does. */
  reopen(): Promise<Store>;
  /** Gives the store up for a new, empty one: for a property, which needs one for each of its runs. */
  renew(): Promise<Store>;
}
