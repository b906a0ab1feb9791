import { isTradepostError, type Notification, type Tradepost } from '@tradepost/sdk';
import { runBulk, sendFor } from '../../bulk/run-bulk';
import type { CliContext } from '../../context';

/** Up to so many are marked one by one: then each has an outcome of its own. */
const fewEnough = 100;

/** What became of notifications that were to be marked. */
export interface Marking {
  /** Those that are read now. */
  done: readonly Notification[];
  /** Whether it ended early, by a failure or an interruption. */
  isStopped: boolean;
  /** The failure; null without one. */
  error: unknown;
}

/** Nothing was to be marked in this way. */
export const nothingMarked: Marking = { done: [], isStopped: false, error: null };

/**
 * Marks notifications as read with few requests, if there are many and the service has the extension. Left are those with
 * the time of the newest one: another of that time may exist that was not listed.
 *
 * @param found all unread notifications of the account from before some time, newest first
 */
export async function markOlder(
  found: readonly Notification[],
  { notifications }: Pick<Tradepost, 'notifications'>,
  reconnectTimeout: number,
  context: CliContext,
): Promise<Marking> {
  const before = found[0]?.createdAt;
  const older = found.filter(({ createdAt }) => createdAt !== before).reverse();
  const done: Notification[] = [];
  if (before === undefined || older.length <= fewEnough) return nothingMarked;
  let isMissing = false;
  const run = await runBulk(
    {
      ids: [before],
      concurrency: 1,
      reconnectTimeout,
      parts: older.length,
      showProgress: true,
      async work(_, requests) {
        for (;;) {
          const { data, error } = await sendFor(requests, (request) =>
            notifications.markAllRead({ before }, request),
          );
          if (data === null) {
            isMissing = isTradepostError(error) && !error.extensions.includes('notifications.read');
            return { outcome: 'failed', error: isMissing ? null : error };
          }
          // Others may have marked some of them meanwhile: after the last request all are read.
          const count = data.hasMore ? data.marked : older.length;
          const marked = older.slice(done.length, done.length + count);
          done.push(...marked.map((one) => ({ ...one, read: true })));
          requests.progress(marked.length);
          if (!data.hasMore) return { outcome: 'updated', error: null };
          if (context.signal.aborted) return { outcome: 'not_attempted', error: null };
        }
      },
    },
    context,
  );
  if (isMissing) return nothingMarked;
  const isStopped = done.length < older.length;
  return { done, isStopped, error: run.failures[0]?.error ?? null };
}
