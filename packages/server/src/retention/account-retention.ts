import type { AccountRetention } from '@tradepost/domain/accounts/retention';
import { finishedStates, type RetainingAccount } from '@tradepost/domain/retention/retention-store';
import {
  batch,
  drain,
  type PruneTask,
  type PruneTaskDependencies,
  type PruneTaskStep,
  scan,
} from './prune-task';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** How often all accounts with times of their own are visited: each delivery that stays is passed once each time. */
const passEveryMs = hour;
/** How many parts of accounts without old data one step looks at, at most. */
const maxLookups = 20;
/** For how long it looks at further ones, in milliseconds: parts that stay may have to be read. */
const maxLookingMs = 3;

/** Returns whether two accounts, or an account before and after a change, keep data for the same times. */
function isSame(one: AccountRetention, other: AccountRetention): boolean {
  return (
    one.keepDeliveries === other.keepDeliveries &&
    one.keepNotifications === other.keepNotifications &&
    one.keepUnreadNotifications === other.keepUnreadNotifications
  );
}

/** Lists the tasks that remove what one account keeps for less time than the server. The other tasks remove the rest. */
function createParts(
  {
    id: accountId,
    webhookIds,
    keepDeliveries,
    keepNotifications,
    keepUnreadNotifications,
  }: RetainingAccount,
  { retention, retentionDays, clock }: PruneTaskDependencies,
): PruneTask[] {
  const cutoff = (days: number) => clock.now() - days * day;
  const until = (days: number) => ({
    before: cutoff(days),
    eventsBefore: cutoff(retentionDays.events),
  });
  const notifications = (read: boolean, own: number | null, days: number) =>
    own === null || own >= days
      ? []
      : drain('notifications', () =>
          retention.pruneAccountNotifications({ ...until(own), accountId, read, limit: batch }),
        );
  const deliveries = (webhookId: string, days: number) =>
    finishedStates.map((state) =>
      scan('deliveries', { clock, restartAfter: Number.POSITIVE_INFINITY }, (step) =>
        retention.pruneWebhookDeliveries({ ...step, ...until(days), webhookId, state }),
      ),
    );
  return [
    notifications(false, keepUnreadNotifications, retentionDays.unreadNotifications),
    notifications(true, keepNotifications, retentionDays.notifications),
    keepDeliveries === null || keepDeliveries >= retentionDays.deliveries
      ? []
      : webhookIds.flatMap((id) => deliveries(id, keepDeliveries)),
  ].flat();
}

/**
 * Creates the task that removes what accounts keep for less time than the server. It passes through all accounts with times of their
 * own once an hour. A change of these times counts from its next step. After an error it continues where that occurred.
 */
export function createAccountTask(dependencies: PruneTaskDependencies): PruneTask {
  const { accounts, retention, clock } = dependencies;
  let passStartedAt = clock.now();
  let ended = false;
  let account: RetainingAccount | null = null;
  let parts: PruneTask[] = [];

  function visit(found: RetainingAccount | null): void {
    account = found;
    parts = found ? createParts(found, dependencies) : [];
  }

  /** Applies what operators changed since the last step. Steps of one account may go on for minutes. */
  async function refresh(): Promise<void> {
    if (account === null || parts.length === 0) return;
    const now = await accounts.findAccount(account.id);
    if (now !== null && !isSame(now, account)) visit({ ...now, webhookIds: account.webhookIds });
  }

  function isDue(): boolean {
    const elapsed = clock.now() - passStartedAt;
    // A clock that was set back must not delay it.
    return !ended || elapsed >= passEveryMs || elapsed < 0;
  }

  return {
    name: 'accountRetention',
    async step() {
      const took = { busyMs: 0, waitedMs: 0 };
      const total: PruneTaskStep = { count: 0, done: false, took };
      if (!isDue()) return { ...total, done: true };
      if (ended) passStartedAt = clock.now();
      ended = false;
      await refresh();
      for (let lookups = 0; lookups < maxLookups; lookups += 1) {
        const [part] = parts;
        if (part === undefined) {
          visit(await retention.findRetainingAccount(account?.id ?? null));
          ended = account === null;
          if (ended) return { ...total, done: true };
          continue;
        }
        const step = await part.step();
        if (step.done) parts.shift();
        total.count += step.count;
        took.busyMs += step.took?.busyMs ?? 0;
        took.waitedMs += step.took?.waitedMs ?? 0;
        if (step.count > 0 || took.busyMs >= maxLookingMs) break;
      }
      return total;
    },
  };
}
