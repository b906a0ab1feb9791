import type { Clock } from '../clock';
import type { DeliveryStore } from '../deliveries/delivery-store';
import type { Retention } from './retention';
import type { Pruned, PruneStep, RetentionStore } from './retention-store';

/** How many rows one step works on: a few milliseconds of the store's time. */
const batch = 250;
const day = 24 * 60 * 60 * 1000;

/** What one step of a chore came to. */
export interface ChoreStep {
  /** How many things were seen to. */
  count: number;
  /** Whether nothing is left to do for now. */
  done: boolean;
}

/** Something that is done again and again, in steps of one small transaction at most. */
export interface Chore {
  /** What is seen to, as the log has it. */
  what: string;
  /** How many rounds it sits out once nothing is left to do. */
  rest: number;
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
  return drain('overdue', () => deliveries.failOverdue({ now: clock.now(), limit: batch }));
}

/**
 * Removes what was kept for long enough. Events come last: the others make them free to go.
 *
 * A walk through deliveries, notifications or events passes by all that is to stay, so there is one an
 * hour; what has an index of its own is looked at in each round.
 */
export function pruningChores({ retention, keep, clock }: ChoreParts): Chore[] {
  const cutoff = (days: number) => clock.now() - days * day;
  return [
    drain('idempotencyKeys', () =>
      retention.pruneIdempotencyKeys({ now: clock.now(), limit: batch }),
    ),
    drain('ofRemovedWebhooks', () => retention.pruneRemovedWebhooks({ limit: batch })),
    walk('deliveries', (step) =>
      retention.pruneDeliveries({ ...step, before: cutoff(keep.deliveries) }),
    ),
    walk('notifications', (step) =>
      retention.pruneNotifications({ ...step, before: cutoff(keep.notifications) }),
    ),
    walk('events', (step) => retention.pruneEvents({ ...step, before: cutoff(keep.events) })),
  ];
}

function drain(what: string, take: () => Promise<number>): Chore {
  return {
    what,
    rest: 0,
    async step() {
      const count = await take();
      return { count, done: count === 0 };
    },
  };
}

const roundsInAnHour = 60;

function walk(what: string, prune: (step: Omit<PruneStep, 'before'>) => Promise<Pruned>): Chore {
  let after: string | null = null;
  return {
    what,
    rest: roundsInAnHour - 1,
    async step() {
      const { removed, next } = await prune({ after, limit: batch });
      after = next;
      return { count: removed, done: next === null };
    },
  };
}
