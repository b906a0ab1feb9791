import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/stores/store';
import { describeAccountLimits } from './conformance/account-limits';
import { describeAccountRetention } from './conformance/account-retention';
import { describeAccounts } from './conformance/accounts';
import { describeAuditLog } from './conformance/audit-log';
import { describeBackoff } from './conformance/backoff';
import { describeClockChanges } from './conformance/clock-changes';
import { describeCreatedKeys } from './conformance/created-keys';
import { describeDeadWorkers } from './conformance/dead-workers';
import { describeDeletedWebhooks } from './conformance/deleted-webhooks';
import { describeDeliveryLists } from './conformance/delivery-lists';
import { describeDeliveryLog } from './conformance/delivery-log';
import { describeDisabling } from './conformance/disabling';
import { describeEndpointSettings } from './conformance/endpoint-settings';
import { describeEventLog } from './conformance/event-log';
import { describeFairLeases } from './conformance/fair-leases';
import { describeIdempotency } from './conformance/idempotency';
import { describeLeases } from './conformance/leases';
import { describeListings } from './conformance/listings';
import { describeManagedWebhooks } from './conformance/managed-webhooks';
import { describeNotifications } from './conformance/notifications';
import { describeOrderLists } from './conformance/order-lists';
import { describeOrders } from './conformance/orders';
import { describeOverdue } from './conformance/overdue';
import { describePages } from './conformance/pages';
import { describePartners } from './conformance/partners';
import { describePauses } from './conformance/pauses';
import { describePolling } from './conformance/polling';
import { describePositions } from './conformance/positions';
import { describePrunedLogs } from './conformance/pruned-logs';
import { describeQueueInvariants } from './conformance/queue-invariants';
import { describeReopening } from './conformance/reopening';
import { describeReplaysAndTestEvents } from './conformance/replays-and-test-events';
import { describeRetention } from './conformance/retention';
import { describeSideEffects } from './conformance/side-effects';
import { describeSignIns } from './conformance/sign-ins';
import type { StoreUnderTest } from './conformance/store-under-test';
import { describeSummaries } from './conformance/summaries';
import { describeSuspensions } from './conformance/suspensions';
import { describeTimelines } from './conformance/timelines';
import { describeWebhookStats } from './conformance/webhook-stats';

/** Where a store keeps its data, such as a file. Empty at first. */
export interface StorePlace {
  open(): Promise<Store> | Store;
  /** Removes it with all data. */
  remove(): Promise<void> | void;
}

/** A part of the conformance suite. */
type Part = (underTest: StoreUnderTest) => void;

const allParts: Part[] = [
  describeAccounts,
  describeCreatedKeys,
  describeSignIns,
  describeListings,
  describeOrders,
  describeSideEffects,
  describeOrderLists,
  describePolling,
  describePartners,
  describeNotifications,
  describeIdempotency,
  describeLeases,
  describeFairLeases,
  describeBackoff,
  describeOverdue,
  describeQueueInvariants,
  describeManagedWebhooks,
  describePauses,
  describeDisabling,
  describeEndpointSettings,
  describeDeadWorkers,
  describeDeletedWebhooks,
  describeDeliveryLog,
  describeReplaysAndTestEvents,
  describeDeliveryLists,
  describeEventLog,
  describeTimelines,
  describeSummaries,
  describePages,
  describePositions,
  describeReopening,
  describeRetention,
  describePrunedLogs,
  describeWebhookStats,
  describeClockChanges,
  describeAuditLog,
  describeAccountLimits,
  describeAccountRetention,
  describeSuspensions,
];

/** The parts that read or write endpoint secrets. */
export const partsWithSecrets: Part[] = [
  describeIdempotency,
  describeLeases,
  describeManagedWebhooks,
  describePauses,
  describeEndpointSettings,
  describeDeletedWebhooks,
  describeReplaysAndTestEvents,
  describeReopening,
];

/** Tests an implementation of `Store` for everything that the server relies on. Each test gets its own place. */
export function describeStore(
  name: string,
  newPlace: () => Promise<StorePlace> | StorePlace,
  parts = allParts,
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

    for (const describePart of parts) describePart(underTest);
  });
}
