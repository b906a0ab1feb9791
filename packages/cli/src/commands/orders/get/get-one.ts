import { createOutageGate, isAway, isTemporary } from '../../../client/outage';
import { createOutagePolicy } from '../../../client/outage-report';
import type { CliContext } from '../../../context';
import { CliError } from '../../../errors/cli-error';
import { createProgress } from '../../../output/progress';
import type { LoadedOrder, LoadRequest } from './load-order';

/** How to wait for a service that is away. */
export interface OutageOptions {
  /** Seconds. */
  reconnectTimeout: number;
  /** Whether to wait so long also for a service that was never reachable. */
  hadContact: boolean;
}

/**
 * Gets one order. It waits while the service is away.
 *
 * @throws the last error after the timeout, any other error at once, and {CliError} `interrupted` after Ctrl-C
 */
export async function getOne(
  load: (request: LoadRequest) => Promise<LoadedOrder>,
  outages: OutageOptions,
  context: CliContext,
): Promise<LoadedOrder> {
  const { signal } = context;
  const progress = createProgress(null, context);
  const policy = createOutagePolicy(outages, progress, context);
  const gate = createOutageGate(
    { ...policy, isRetryable: (error) => isAway(error) || isTemporary(error) },
    context,
  );
  try {
    const result = await gate.send(async () => {
      try {
        return { loaded: await load({ signal, maxRetries: 0 }), error: null };
      } catch (error) {
        return { error };
      }
    });
    if ('loaded' in result) return result.loaded;
    throw signal.aborted ? new CliError('interrupted', 'Interrupted') : result.error;
  } finally {
    progress.end();
  }
}
