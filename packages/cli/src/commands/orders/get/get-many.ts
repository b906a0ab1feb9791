import { runBulk } from '../../../bulk/run-bulk';
import { wasHeldBack } from '../../../client/outage';
import type { CliContext } from '../../../context';
import { BulkError, CliError } from '../../../errors/cli-error';
import { getExitReason } from '../../../errors/exit-codes';
import { formatCount, formatNumber } from '../../../output/text';
import type { OutageOptions } from './get-one';
import type { LoadRequest, OrderRecord } from './load-order';

export const getConcurrency = 8;

/** Gets many orders. It waits while the service is away, and continues after a failure. */
export async function getMany(
  ids: readonly string[],
  load: (id: string, request: LoadRequest) => Promise<OrderRecord>,
  outages: OutageOptions,
  context: CliContext,
): Promise<{ found: readonly OrderRecord[]; error: unknown }> {
  const records = new Map<string, OrderRecord>();
  const { failures, notAttempted } = await runBulk(
    {
      ids,
      concurrency: getConcurrency,
      ...outages,
      showProgress: true,
      async work(id, { send }) {
        const { error } = await send(async (signal) => {
          try {
            records.set(id, await load(id, { signal, maxRetries: 0 }));
            return { error: null };
          } catch (error) {
            return { error };
          }
        });
        if (wasHeldBack(error, context)) return { outcome: 'not_attempted', error: null };
        return { outcome: error === null ? 'unchanged' : 'failed', error };
      },
    },
    context,
  );
  const found = ids.flatMap((id) => records.get(id) ?? []);
  const left =
    notAttempted.length > 0 ? `, ${formatNumber(notAttempted.length)} not attempted` : '';
  const summary = `Got ${formatNumber(found.length)} of ${formatCount(ids.length, 'order')}; ${formatNumber(failures.length)} failed${left}`;
  const error = failures.length > 0 ? new BulkError(summary, found.length, failures) : null;
  if (
    context.signal.aborted &&
    found.length < ids.length &&
    getExitReason(error) !== 'interrupted'
  ) {
    return { found, error: new CliError('interrupted', `Interrupted. ${summary}`) };
  }
  return { found, error };
}
