import type { RetentionStore } from '@tradepost/domain/retention/retention-store';
import { storedBuckets } from '@tradepost/domain/webhooks/stats-counts';
import { createAccountTask } from './account-retention';
import { batch, drain, type PruneTask, type PruneTaskDependencies, scan } from './prune-task';

/** How many deliveries one step fails. */
const overdueBatch = 250;
const hour = 60 * 60 * 1000;
const day = 24 * hour;
/** How long sessions are listed after their end. */
const endedSessionsMs = 7 * day;

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
export function createPruneTasks(dependencies: PruneTaskDependencies): PruneTask[] {
  const { retention, retentionDays, clock } = dependencies;
  const cutoff = (days: number) => clock.now() - days * day;
  const references = () => ({ eventsBefore: cutoff(retentionDays.events) });
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
        before: cutoff(retentionDays.deliveries),
      }),
    ),
    scan('unreadNotifications', { clock, restartAfter: day }, (step) => {
      const before = cutoff(retentionDays.unreadNotifications);
      return retention.pruneNotifications({ ...step, ...references(), before, unread: true });
    }),
    scan('notifications', { clock, restartAfter: day }, (step) => {
      const before = cutoff(retentionDays.notifications);
      // The scan above removes older ones, read or not.
      const since = cutoff(retentionDays.unreadNotifications);
      return retention.pruneNotifications({
        ...step,
        ...references(),
        before,
        since,
        unread: false,
      });
    }),
    createAccountTask(dependencies),
    scan('auditLog', { clock, restartAfter: day }, (step) =>
      retention.pruneAuditLog({ ...step, before: cutoff(retentionDays.auditLog) }),
    ),
    {
      ...scan('events', { clock, restartAfter: day }, (step) =>
        retention.pruneEvents({ ...step, before: cutoff(retentionDays.events) }),
      ),
      // Until the others are done, most events are removed with them, and the scan would pass the rest in vain.
      isLast: true,
    },
  ];
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
