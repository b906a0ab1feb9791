import { setTimeout } from 'node:timers/promises';
import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { beginErasure, erasedParts } from '@tradepost/domain/accounts/erasure';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import type { Store } from '../stores/store';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';

/** How many rows one transaction erases: a few milliseconds of work. */
const batchSize = 200;
/** The pause after a transaction, so that a server can write. */
const pauseMs = 10;
/** How often the log is flushed at most, each time for a tenth of a second. */
const flushAttempts = 50;

/** Repeats a step until it finds fewer than `enough`. Returns how much it found. */
async function repeat(
  step: () => Promise<number>,
  enough: number,
  signal: AbortSignal,
): Promise<number> {
  for (let total = 0; ; await setTimeout(pauseMs)) {
    signal.throwIfAborted();
    const count = await step();
    total += count;
    if (count < enough) return total;
  }
}

/**
 * Erases a suspended account in small steps. Its orders stay, because they belong to the other parties too, and so do the account
 * without its name, and the audit log. May be called again after an interruption, and then erases what is left.
 *
 * @returns How many rows were erased, by their kind.
 * @throws OperatorError if the account is not suspended.
 */
export async function eraseAccount(
  store: Store,
  accountId: string,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const context = createCommandContext();
  await store.accounts.changeAccount({ id: accountId, context }, (found) => {
    if (found === null) throw missingRecord('Account', accountId);
    if (found.suspendedAt === null) {
      throw new OperatorError(
        `Account ${accountId} is not suspended. Run accounts suspend first: it ends what the account does meanwhile.`,
      );
    }
    const account = beginErasure(found, context.now);
    const isFirst = found.erasedAt === null;
    const audit = isFirst
      ? auditAccount(getOperator(), 'account.erased', account, {}, context)
      : null;
    return { account, audit };
  });
  const webhooks = await store.webhooks.listAllWebhooks(accountId);
  for (const { id } of webhooks) await store.webhooks.deleteWebhook(accountId, id, context.now);
  const erased: Record<string, number> = { webhooks: webhooks.length };
  // Removes what is left of all deleted webhooks, as a server that runs may be doing, too.
  await repeat(
    async () => (await store.retention.pruneRemovedWebhooks({ limit: batchSize })).removed,
    1,
    signal,
  );
  for (const part of erasedParts) {
    const step = () => store.erasure.erase(accountId, part, batchSize);
    // Not until nothing is found: others may add to it all the time.
    erased[part] = await repeat(step, batchSize, signal);
  }
  for (let attempt = 1; !(await store.retention.eraseDeleted()); attempt += 1) {
    if (attempt === flushAttempts) {
      throw new OperatorError(
        'Everything is erased, but earlier copies may still be in the write-ahead log, because other processes used the database all the time. Run the command again.',
      );
    }
    await setTimeout(pauseMs);
  }
  return erased;
}
