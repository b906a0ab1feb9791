import { runBulk, sendFor, toBulkFailure } from '../../../bulk/run-bulk';
import { wasNotAttempted } from '../../../client/outage';
import type { CliContext } from '../../../context';
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
      async work(id, requests) {
        const { data, error } = await sendFor(requests, (request) => load(id, request));
        if (data !== null) records.set(id, data);
        if (wasNotAttempted(error, context)) return { outcome: 'not_attempted', error: null };
        return { outcome: error === null ? 'unchanged' : 'failed', error };
      },
    },
    context,
  );
  const found = ids.flatMap((id) => records.get(id) ?? []);
  const left =
    notAttempted.length > 0 ? `, ${formatNumber(notAttempted.length)} not attempted` : '';
  const summary = `Got ${formatNumber(found.length)} of ${formatCount(ids.length, 'order')}; ${formatNumber(failures.length)} failed${left}`;
  const counts = { count: ids.length, succeeded: found.length };
  const error = toBulkFailure(summary, counts, { failures, notAttempted }, context);
  return { found, error };
}
