import { type AnyTradepostError, isTradepostError, Tradepost } from '@tradepost/sdk';
import type { Activity } from './kill-point';
import type { KillableServer } from './killable-server';
import type { OperationLog } from './operation-log';

/** Dependencies of every client. */
export interface ClientDependencies {
  server: KillableServer;
  log: OperationLog;
  activity: Activity;
}

/** The final result of a request: a value, or the code of the problem. */
export type FinalResponse<Value> = { value: Value } | { code: string };

/** Creates a client that does not retry by itself: `retryUntilResponse` does. */
export function createClient(server: KillableServer, apiKey: string): Tradepost {
  return new Tradepost({ baseUrl: server.url, apiKey, maxRetries: 0 });
}

/** Counts a failure without a final response. Returns whether it was one, so that the request is repeated. */
function countIfRetryable(error: AnyTradepostError, log: OperationLog): boolean {
  if (error.code === 'connection_failed') {
    log.broken += 1;
    return true;
  }
  if (error.status === 503) {
    log.unavailable += 1;
    return true;
  }
  return false;
}

/** Repeats a request over kills and restarts until it gets a final response. */
export async function retryUntilResponse<Value>(
  send: () => Promise<Value>,
  { server, log, activity }: ClientDependencies,
): Promise<FinalResponse<Value>> {
  for (;;) {
    await server.waitUntilUp();
    activity.requests.increment();
    try {
      const value = await send();
      activity.responses.increment();
      return { value };
    } catch (error) {
      if (!isTradepostError(error)) throw error;
      if (countIfRetryable(error, log)) continue;
      activity.responses.increment();
      if (error.status !== 409) log.violations.push(`A client got: ${error.message}`);
      return { code: error.code };
    }
  }
}
