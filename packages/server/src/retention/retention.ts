import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { Clock } from '@tradepost/domain/kernel/context';
import type {
  Pruned,
  PruneStep,
  RetentionStore,
  ScanPruned,
} from '@tradepost/domain/retention/retention-store';
import { storedBuckets } from '@tradepost/domain/webhooks/stats-counts';

/** How many days data is kept. */
export interface Retention {
  /** Finished deliveries and their attempts, after they finished; at least 2, which is longer than they are retried. */
  deliveries: number;
  /** Events after they happened, and as long as a delivery or a notification refers to them. */
  events: number;
  /** Read notifications, after they were created. */
  notifications: number;
  /** Unread notifications, after they were created; not less than `notifications`. */
  unreadNotifications: number;
  /** Entries of the audit log, after they were written. */
  auditLog: number;
}

/** How long data is kept by default. */
export const defaultRetention: Retention = {
  deliveries: 30,
  events: 30,
  notifications: 90,
  unreadNotifications: 180,
  auditLog: 400,
};

/**
 * Fills in the defaults. Unread notifications are kept for 180 days by default, or as long as read ones if that is longer.
 *
 * @throws RangeError if unread notifications would be removed before read ones.
 */
export function resolveRetention(options: Partial<Retention> = {}): Retention {
  const { notifications = defaultRetention.notifications } = options;
  const {
    deliveries = defaultRetention.deliveries,
    events = defaultRetention.events,
    auditLog = defaultRetention.auditLog,
    unreadNotifications = Math.max(defaultRetention.unreadNotifications, notifications),
  } = options;
  if (unreadNotifications < notifications) {
    throw new RangeError(
      `retention.unreadNotifications (${unreadNotifications} days) must not be shorter than retention.notifications (${notifications} days).`,
    );
  }
  return { deliveries, events, notifications, unreadNotifications, auditLog };
}

/** How many deliveries one step fails. */
const overdueBatch = 250;
/** How many items one step of pruning scans at most. The store ends it after a few milliseconds in any case. */
const batch = 500;
/** How many items it scans at least. */
const smallestBatch = 50;
const hour = 60 * 60 * 1000;
const day = 24 * hour;
/** How long sessions are listed after their end. */
const endedSessionsMs = 7 * day;

/** The result of one step of a task. */
export interface PruneTaskStep {
  /** How many items were handled. */
  count: number;
  /** Whether nothing is left to do for now. */
  done: boolean;
  /** How long it occupied the store and waited for it; undefined if the store does not measure it. */
  took?: Pick<Pruned, 'busyMs' | 'waitedMs'>;
}

/** A recurring task in steps of one short transaction each. */
export interface PruneTask {
  /** The name of the task in the log. */
  name: string;
  /** Whether to skip it while an earlier task has more to do. */
  isLast?: boolean;
  step(): Promise<PruneTaskStep>;
}

/** The dependencies of the tasks. */
export interface PruneTaskDependencies {
  deliveries: Pick<DeliveryStore, 'failOverdue'>;
  retention: RetentionStore;
  /** How long data is kept, in days. */
  retentionMs: Retention;
  clock: Clock;
}

/** Creates the task that fails deliveries whose deadline passed while they waited. */
export function createOverdueTask({ deliveries, clock }: PruneTaskDependencies): PruneTask {
  return drain('overdue', () => deliveries.failOverdue({ now: clock.now(), limit: overdueBatch }));
}

/**
 * Creates the tasks that remove old data. An event is removed with its last reference; the scan for events finds those whose
 * references ended before they were old enough.
 *
 * Scans restart from the oldest item only from time to time, for items that could not be removed when they were passed:
 * deliveries that finished late and notifications that were read late. Few deliveries are passed, but possibly most of the
 * notifications and events.
 */
export function createPruneTasks({
  retention,
  retentionMs,
  clock,
}: PruneTaskDependencies): PruneTask[] {
  const cutoff = (days: number) => clock.now() - days * day;
  const references = () => ({ eventsBefore: cutoff(retentionMs.events) });
  return [
    drain('idempotencyKeys', () =>
      retention.pruneIdempotencyKeys({ now: clock.now(), limit: batch }),
    ),
    drain('signIns', () =>
      retention.pruneSignIns({
        codesBefore: clock.now(),
        sessionsBefore: clock.now() - endedSessionsMs,
        limit: batch,
      }),
    ),
    thenErase(
      drain('deletedWebhooks', () => retention.pruneRemovedWebhooks({ limit: batch })),
      retention,
    ),
    ...Object.values(storedBuckets).map(({ width, keptMs }) =>
      drain('statistics', () =>
        retention.pruneStats({ width, before: clock.now() - keptMs, limit: batch }),
      ),
    ),
    scan('deliveries', { clock, restartAfter: hour }, (step) =>
      retention.pruneDeliveries({
        ...step,
        ...references(),
        before: cutoff(retentionMs.deliveries),
      }),
    ),
    scan('unreadNotifications', { clock, restartAfter: day }, (step) => {
      const before = cutoff(retentionMs.unreadNotifications);
      return retention.pruneNotifications({ ...step, ...references(), before, unread: true });
    }),
    scan('notifications', { clock, restartAfter: day }, (step) => {
      const before = cutoff(retentionMs.notifications);
      // The scan above removes older ones, read or not.
      const since = cutoff(retentionMs.unreadNotifications);
      return retention.pruneNotifications({
        ...step,
        ...references(),
        before,
        since,
        unread: false,
      });
    }),
    scan('auditLog', { clock, restartAfter: day }, (step) =>
      retention.pruneAuditLog({ ...step, before: cutoff(retentionMs.auditLog) }),
    ),
    {
      ...scan('events', { clock, restartAfter: day }, (step) =>
        retention.pruneEvents({ ...step, before: cutoff(retentionMs.events) }),
      ),
      // Until the others are done, most events are removed with them, and the scan would pass the rest in vain.
      isLast: true,
    },
  ];
}

function drain(name: string, remove: () => Promise<number | Pruned>): PruneTask {
  return {
    name,
    async step() {
      const pruned = await remove();
      if (typeof pruned === 'number') return { count: pruned, done: pruned === 0 };
      return { count: pruned.removed, done: pruned.removed === 0, took: pruned };
    },
  };
}

/** Erases what a task removed once nothing is left of it, because it may contain secrets. */
function thenErase(task: PruneTask, retention: Pick<RetentionStore, 'eraseDeleted'>): PruneTask {
  // Also at the start, because the previous process may have ended in between.
  let isDue = true;
  return {
    name: task.name,
    async step() {
      const step = await task.step();
      isDue ||= step.count > 0;
      if (!(step.done && isDue)) return step;
      // If others were in the way, a later round tries again.
      isDue = !(await retention.eraseDeleted());
      return step;
    },
  };
}

/** Scans from the oldest to the newest item, and continues from there when more items are old enough. Items that stay are passed once. */
function scan(
  name: string,
  { clock, restartAfter }: { clock: Clock; restartAfter: number },
  prune: (step: Omit<PruneStep, 'before'>) => Promise<ScanPruned>,
): PruneTask {
  let after: string | null = null;
  let startedAt = clock.now();
  let ended = false;
  let limit = batch;

  function shouldRestart(): boolean {
    const elapsed = clock.now() - startedAt;
    // A clock that was set back must not delay it.
    return ended && (elapsed >= restartAfter || elapsed < 0);
  }

  return {
    name,
    async step() {
      if (shouldRestart()) {
        after = null;
        startedAt = clock.now();
      }
      const step = await prune({ after, limit });
      after = step.next;
      // About as much as the next step has time for.
      limit = step.isCut ? Math.max(2 * step.removed, smallestBatch) : 2 * limit;
      limit = Math.min(limit, batch);
      ended = step.done;
      return { count: step.removed, done: step.done, took: step };
    },
  };
}
