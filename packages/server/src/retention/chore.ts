import type { Clock } from '../clock';
import type { DeliveryStore } from '../deliveries/delivery-store';
import type { Retention } from './retention';
import type { Pruned, PruneStep, RetentionStore, ScanPruned } from './retention-store';

/** How many deliveries one step fails. */
const overdueAtOnce = 250;
/** How many things one step of pruning examines at most. The store ends it after a few milliseconds in any case. */
const batch = 500;
/** How many it examines at least. */
const smallestBatch = 50;
const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** What one step of a chore came to. */
export interface ChoreStep {
  /** How many things were seen to. */
  count: number;
  /** Whether nothing is left to do for now. */
  done: boolean;
  /** For how long it kept the store busy and waited for it; undefined where the store does not measure it. */
  took?: Pick<Pruned, 'busyMs' | 'waitedMs'>;
}

/** Something that is done again and again, in steps of one short transaction each. */
export interface Chore {
  /** What is seen to, as the log has it. */
  what: string;
  /** Whether to leave it out while a chore before it has more to do. */
  isLast?: boolean;
  step(): Promise<ChoreStep>;
}

/** What chores work with. */
export interface ChoreParts {
  deliveries: Pick<DeliveryStore, 'failOverdue'>;
  retention: RetentionStore;
  /** How long things are kept. */
  keep: Retention;
  clock: Clock;
}

/** Fails the deliveries whose deadline passed while they waited. */
export function overdueChore({ deliveries, clock }: ChoreParts): Chore {
  return drain('overdue', () => deliveries.failOverdue({ now: clock.now(), limit: overdueAtOnce }));
}

/**
 * Removes what was kept for long enough. An event is removed with the last thing that is about it; the scan for
 * events finds those that nothing was about before they were old enough.
 *
 * Scans begin again from the oldest only now and then, for what could not be removed when it was passed: deliveries
 * that ended late, and notifications that were read late. Both are passed within a day at most, and few deliveries
 * are, but possibly most of the notifications and events.
 */
export function pruningChores({ retention, keep, clock }: ChoreParts): Chore[] {
  const cutoff = (days: number) => clock.now() - days * day;
  const references = () => ({ eventsBefore: cutoff(keep.events) });
  return [
    drain('idempotencyKeys', () =>
      retention.pruneIdempotencyKeys({ now: clock.now(), limit: batch }),
    ),
    thenErase(
      drain('ofRemovedWebhooks', () => retention.pruneRemovedWebhooks({ limit: batch })),
      retention,
    ),
    scan('deliveries', { clock, againAfter: hour }, (step) =>
      retention.pruneDeliveries({ ...step, ...references(), before: cutoff(keep.deliveries) }),
    ),
    scan('unreadNotifications', { clock, againAfter: day }, (step) => {
      const before = cutoff(keep.unreadNotifications);
      return retention.pruneNotifications({ ...step, ...references(), before, unread: true });
    }),
    scan('notifications', { clock, againAfter: day }, (step) => {
      const before = cutoff(keep.notifications);
      // The scan before takes what is older, read or not.
      const since = cutoff(keep.unreadNotifications);
      return retention.pruneNotifications({
        ...step,
        ...references(),
        before,
        since,
        unread: false,
      });
    }),
    {
      ...scan('events', { clock, againAfter: day }, (step) =>
        retention.pruneEvents({ ...step, before: cutoff(keep.events) }),
      ),
      // Until the others are done, most events go with them, and the scan would pass the rest in vain.
      isLast: true,
    },
  ];
}

function drain(what: string, take: () => Promise<number | Pruned>): Chore {
  return {
    what,
    async step() {
      const taken = await take();
      if (typeof taken === 'number') return { count: taken, done: taken === 0 };
      return { count: taken.removed, done: taken.removed === 0, took: taken };
    },
  };
}

/** Erases what a chore removed once nothing is left of it: secrets may be among it. */
function thenErase(chore: Chore, retention: Pick<RetentionStore, 'eraseDeleted'>): Chore {
  // Also at first: the process before this one may have ended in between.
  let isDue = true;
  return {
    what: chore.what,
    async step() {
      const step = await chore.step();
      isDue ||= step.count > 0;
      if (!(step.done && isDue)) return step;
      // Others may be in the way; then a later round tries again.
      isDue = !(await retention.eraseDeleted());
      return step;
    },
  };
}

/**
 * Scans from the oldest to the newest, and continues where it ended once more has become old enough: what is to stay
 * is passed once.
 */
function scan(
  what: string,
  { clock, againAfter }: { clock: Clock; againAfter: number },
  prune: (step: Omit<PruneStep, 'before'>) => Promise<ScanPruned>,
): Chore {
  let after: string | null = null;
  let begunAt = clock.now();
  let ended = false;
  let limit = batch;

  function isToBeginAgain(): boolean {
    const passed = clock.now() - begunAt;
    // A clock that was set back must not put it off.
    return ended && (passed >= againAfter || passed < 0);
  }

  return {
    what,
    async step() {
      if (isToBeginAgain()) {
        after = null;
        begunAt = clock.now();
      }
      const step = await prune({ after, limit });
      after = step.next;
      // About what the next step has time for.
      limit = step.isCut ? Math.max(2 * step.removed, smallestBatch) : 2 * limit;
      limit = Math.min(limit, batch);
      ended = step.done;
      return { count: step.removed, done: step.done, took: step };
    },
  };
}
