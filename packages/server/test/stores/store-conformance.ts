import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/store';
import { describeAccounts } from './conformance/accounts';
import { describeAnyPage } from './conformance/any-page';
import { describeClaims } from './conformance/claims';
import { describeConsequences } from './conformance/consequences';
import { describeDeliveryLists } from './conformance/delivery-lists';
import { describeDeliveryLog } from './conformance/delivery-log';
import { describeEventLog } from './conformance/event-log';
import { describeFairClaims } from './conformance/fair-claims';
import { describeHolds } from './conformance/holds';
import { describeIdempotency } from './conformance/idempotency';
import { describeListings } from './conformance/listings';
import { describeManagedWebhooks } from './conformance/managed-webhooks';
import { describeNotifications } from './conformance/notifications';
import { describeOrderLists } from './conformance/order-lists';
import { describeOrders } from './conformance/orders';
import { describeOverdue } from './conformance/overdue';
import { describePauses } from './conformance/pauses';
import { describeQueueLaws } from './conformance/queue-laws';
import { describeRemovedWebhooks } from './conformance/removed-webhooks';
import { describeReopening } from './conformance/reopening';
import { describeReplaysAndSamples } from './conformance/replays-and-samples';
import { describeRetention } from './conformance/retention';
import { describeSetClocks } from './conformance/set-clocks';
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
      async renew() {
        await giveUp();
        await begin();
        return store;
      },
    };

    async function begin(): Promise<void> {
      place = await newPlace();
      store = await place.open();
    }

    async function giveUp(): Promise<void> {
      await store.close();
      await place.remove();
    }

    beforeEach(begin);
    afterEach(giveUp);

    describeAccounts(underTest);
    describeListings(underTest);
    describeOrders(underTest);
    describeConsequences(underTest);
    describeOrderLists(underTest);
    describeNotifications(underTest);
    describeIdempotency(underTest);
    describeClaims(underTest);
    describeFairClaims(underTest);
    describeHolds(underTest);
    describeOverdue(underTest);
    describeQueueLaws(underTest);
    describeManagedWebhooks(underTest);
    describePauses(underTest);
    describeRemovedWebhooks(underTest);
    describeDeliveryLog(underTest);
    describeReplaysAndSamples(underTest);
    describeDeliveryLists(underTest);
    describeEventLog(underTest);
    describeAnyPage(underTest);
    describeReopening(underTest);
    describeRetention(underTest);
    describeSetClocks(underTest);
  });
}
