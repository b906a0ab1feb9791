import { type BulkRun, type BulkTask, runBulk, sendFor } from '../../../bulk/run-bulk';
import { isAway, isTemporary, wasNotAttempted } from '../../../client/outage';
import type { CliContext } from '../../../context';
import type { LoadedOrder, LoadRequest } from './load-order';

export const loadConcurrency = 8;

/** Loads orders. It waits while the service is away, and continues after a failure. */
export async function loadOrders(
  ids: readonly string[],
  load: (id: string, request: LoadRequest) => Promise<LoadedOrder>,
  outages: Pick<BulkTask, 'reconnectTimeout' | 'hadContact'>,
  context: CliContext,
): Promise<{ loaded: ReadonlyMap<string, LoadedOrder>; run: BulkRun }> {
  const loaded = new Map<string, LoadedOrder>();
  const run = await runBulk(
    {
      ids,
      concurrency: loadConcurrency,
      ...outages,
      isRetryable: (error) => isAway(error) || isTemporary(error),
      // Nothing is lost with what is read.
      shutdownGraceMs: 0,
      showProgress: true,
      async work(id, requests) {
        const { data, error } = await sendFor(requests, (request) => load(id, request));
        if (data !== null) loaded.set(id, data);
        if (wasNotAttempted(error, context)) return { outcome: 'not_attempted', error: null };
        return { outcome: error === null ? 'unchanged' : 'failed', error };
      },
    },
    context,
  );
  return { loaded, run };
}
