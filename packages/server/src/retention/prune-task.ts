import type { AccountStore } from '@tradepost/domain/accounts/account';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { Clock } from '@tradepost/domain/kernel/context';
import type {
  Pruned,
  PruneStep,
  RetentionStore,
  ScanPruned,
} from '@tradepost/domain/retention/retention-store';
import type { Retention } from './retention';

/** How many items one step of pruning scans at most. The store ends it after a few milliseconds in any case. */
export const batch = 500;
/** How many items it scans at least. */
const smallestBatch = 50;

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
  accounts: Pick<AccountStore, 'findAccount'>;
  deliveries: Pick<DeliveryStore, 'failOverdue'>;
  retention: RetentionStore;
  /** How long data is kept, in days. */
  retentionDays: Retention;
  clock: Clock;
}

/** Creates a task that removes what is left until nothing is. */
export function drain(name: string, remove: () => Promise<number | Pruned>): PruneTask {
  return {
    name,
    async step() {
      const pruned = await remove();
      if (typeof pruned === 'number') return { count: pruned, done: pruned === 0 };
      return { count: pruned.removed, done: pruned.removed === 0, took: pruned };
    },
  };
}

/** Scans from the oldest to the newest item, and continues from there when more items are old enough. Items that stay are passed once. */
export function scan(
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
