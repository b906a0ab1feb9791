import { isAway, isTemporary, wasNotAttempted } from '../client/outage';
import type { CliContext } from '../context';
import { type BulkRun, type BulkTask, runBulk, sendFor } from './run-bulk';

export const loadConcurrency = 8;

/** Loads items by their IDs. It waits while the service is away, and continues after a failure. */
export async function loadMany<Item>(
  ids: readonly string[],
  load: (id: string, request: { signal: AbortSignal; maxRetries: 0 }) => Promise<Item>,
  outages: Pick<BulkTask, 'reconnectTimeout' | 'hadContact'>,
  context: CliContext,
): Promise<{ loaded: ReadonlyMap<string, Item>; run: BulkRun }> {
  const loaded = new Map<string, Item>();
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
