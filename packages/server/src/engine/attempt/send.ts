import {
  type Attempt,
  attemptTimeoutMs,
  type LeasedDelivery,
} from '@tradepost/domain/deliveries/delivery';
import type { Clock } from '@tradepost/domain/kernel/context';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { WebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { toAttemptError } from './attempt-error';
import { ConnectionPool } from './connection-pool';
import { addCustomHeaders, deliveryHeaders } from './delivery-headers';
import { type DeliveryResponse, Exchange, noResponse } from './exchange';
import { parseRetryAfter } from './retry-after';
import {
  createDnsResolver,
  guardedConnector,
  type HostResolver,
  systemResolver,
} from './ssrf-guard';

/** Makes attempts. An attempt takes 15 s at most, follows no redirects and reads up to 16 kB. */
export interface Sender {
  /**
   * Posts a signed delivery and returns the result. It never rejects because of a receiver.
   *
   * @param traceparent Sent as the header `traceparent` if it is not empty. It is not signed.
   * @throws StoreUnavailableError if the endpoint secret cannot be read. The receiver was not contacted.
   */
  send(delivery: LeasedDelivery, traceparent?: string): Promise<Attempt>;
  /** Closes all connections, which interrupts the attempts in flight. */
  close(): Promise<void>;
}

function defaultResolver(policy: WebhookPolicy): HostResolver {
  return policy.publicAddressesOnly ? createDnsResolver() : systemResolver();
}

/** Returns the wait that the receiver requests, if its status may request one. */
function readRetryAfter({ status, retryAfter }: DeliveryResponse, now: number): number | null {
  return status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : null;
}

/** Options of a sender. */
export interface SenderOptions {
  /**
   * The time limit of one attempt in milliseconds.
   * @default 15000
   */
  timeout?: number | undefined;
  /**
   * How many idle connections are kept open.
   * @default 512
   */
  maxIdle?: number | undefined;
  /**
   * Resolves host names. The default queries DNS directly if only public addresses are allowed, so that slow names do not
   * delay each other; otherwise it uses the system's resolver.
   */
  resolver?: HostResolver | undefined;
}

/** Creates a sender with its own connection pool. */
export function createSender(
  policy: WebhookPolicy,
  clock: Clock,
  { timeout = attemptTimeoutMs, maxIdle, resolver = defaultResolver(policy) }: SenderOptions = {},
): Sender {
  const pool = new ConnectionPool(guardedConnector(policy, resolver), maxIdle);
  let closed = false;

  async function post(
    delivery: LeasedDelivery,
    headers: Record<string, string>,
  ): Promise<DeliveryResponse> {
    if (closed) return noResponse('server_shutdown');
    const { url, body } = delivery;
    const exchange = new Exchange(pool, { url, headers, body });
    exchange.start(timeout);
    return exchange.ended;
  }

  return {
    async send(delivery, traceparent) {
      const { url } = delivery;
      const startedAt = clock.now();
      const started = performance.now();
      let headers: Record<string, string> = {};
      let response: DeliveryResponse;
      try {
        headers = deliveryHeaders(delivery, startedAt);
        if (traceparent) headers.traceparent = traceparent;
        const { headers: custom } = delivery;
        const all = addCustomHeaders(headers, custom);
        response = await post(delivery, all);
      } catch (error) {
        // The secret cannot be read, for which the receiver is not to blame.
        if (error instanceof StoreUnavailableError) throw error;
        // An invalid row, for example with an invalid URL, must not end the worker.
        response = noResponse(toAttemptError(error));
      }
      const { status, error, responseSnippet } = response;
      const durationMs = Math.round(performance.now() - started);
      const retryAfter = readRetryAfter(response, clock.now());
      return { startedAt, durationMs, url, headers, status, error, responseSnippet, retryAfter };
    },
    async close() {
      closed = true;
      const ended = pool.close();
      resolver.close();
      await ended;
    },
  };
}
