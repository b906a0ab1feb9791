import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/store';
import { describeAccounts } from './conformance/accounts';
import { describeClaims } from './conformance/claims';
import { describeConsequences } from './conformance/consequences';
import { describeIdempotency } from './conformance/idempotency';
import { describeListings } from './conformance/listings';
import { describeNotifications } from './conformance/notifications';
import { describeOrderLists } from './conformance/order-lists';
import { describeOrders } from './conformance/orders';
import { describeReopening } from './conformance/reopening';
import type { StoreUnderTest } from './conformance/store-under-test';

/** Where one store is kept: a file, a database. It is empty at first. */
export interface StorePlace {
  open(): Promise<Store> | Store;
  /** Removes it and all that it holds. */
  remove(): Promise<void> | void;
}

/** Holds an implementation of `Store` to everything that the server relies on. Each test gets a place of its own. */
export function describeStore(
  name: string,
  newPlace: () => Promise<StorePlace> | StorePlace,
): void {
  describe(name, () => {
    let place: StorePlace;
    let store: Store;
    const underTest: StoreUnderTest = {
      get current() {
        return store;
      },
      async reopen() {
        await store.close();
        store = await place.open();
        return store;
      },
    };

    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
    });
    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    describeAccounts(underTest);
    describeListings(underTest);
    describeOrders(underTest);
    describeConsequences(underTest);
    describeOrderLists(underTest);
    describeNotifications(underTest);
    describeIdempotency(underTest);
    describeClaims(underTest);
    describeReopening(underTest);
  });
}
