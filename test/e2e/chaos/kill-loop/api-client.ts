import { type AnyTradepostError, isTradepostError, Tradepost } from '@tradepost/sdk';
import type { Activity } from './kill-point';
import type { OperationLog } from './operation-log';
import type { System } from './system';

/** Dependencies of every client. */
export interface ClientDependencies {
  system: Pick<System, 'urls' | 'run' | 'waitUntilUp' | 'readLog'>;
  log: OperationLog;
  activity: Activity;
}

/** The final result of a request: a value, or the code of the problem. */
export type FinalResponse<Value> = { value: Value } | { code: string };

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

/** A client of one account. It sends each request to the next API process, and repeats it until it gets a final response. */
export class ApiClient {
  readonly #dependencies: ClientDependencies;
  readonly #processes: readonly Tradepost[];
  #sent = 0;

  constructor(apiKey: string, dependencies: ClientDependencies) {
    this.#dependencies = dependencies;
    // The SDK does not retry by itself: it would send the request to the same process.
    this.#processes = dependencies.system.urls.map(
      (baseUrl) => new Tradepost({ baseUrl, apiKey, maxRetries: 0 }),
    );
  }

  /** Repeats a request over kills, restarts and faults, each time at another process, until it gets a final response. */
  async request<Value>(
    send: (tradepost: Tradepost) => Promise<Value>,
  ): Promise<FinalResponse<Value>> {
    const { system, log, activity } = this.#dependencies;
    for (;;) {
      await system.waitUntilUp();
      activity.requests.increment();
      try {
        const value = await send(this.#next());
        activity.responses.increment();
        return { value };
      } catch (error) {
        if (!isTradepostError(error)) throw error;
        if (countIfRetryable(error, log)) continue;
        activity.responses.increment();
        if (error.status !== 409) {
          const lines = system.readLog?.(error.requestId ?? '') ?? '';
          log.violations.push(`A client got: ${error.message}\n${lines}`);
        }
        return { code: error.code };
      }
    }
  }

  #next(): Tradepost {
    const next = this.#processes[this.#sent % this.#processes.length];
    this.#sent += 1;
    if (next === undefined) throw new Error('There is no API process.');
    return next;
  }
}
