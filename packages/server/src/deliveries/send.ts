import type { Clock } from '../clock';
import type { WebhookPolicy } from '../webhooks/webhook-policy';
import { ConnectionPool } from './connection-pool';
import { type Attempt, attemptTimeout, type ClaimedDelivery } from './delivery';
import { deliveryHeaders } from './delivery-headers';
import { type Answer, Exchange } from './exchange';
import { guardedConnector } from './guard-address';
import { dnsResolver, type HostResolver, systemResolver } from './resolve-host';
import { readRetryAfter } from './retry-after';

/** Makes attempts. One attempt never outlives 15 s, never follows a redirect, reads 16 kB at most. */
export interface Sender {
  /** Posts a delivery's bytes, signed, and tells how it went; it never throws for the receiver's sake. */
  send(delivery: ClaimedDelivery): Promise<Attempt>;
  /** Ends all connections, and with them the attempts that are under way. */
  close(): Promise<void>;
}

function unanswered(error: string): Answer {
  return { status: null, error, excerpt: '', retryAfter: undefined };
}

/** How long the receiver asks to be left alone, if its status is one that may ask that. */
function readWait({ status, retryAfter }: Answer, now: number): number | null {
  return status === 429 || status === 503 ? readRetryAfter(retryAfter, now) : null;
}

/**
 * A sender with connections of its own, which it keeps open between attempts.
 *
 * @param timeout Milliseconds that one attempt may take in all; 15 s unless told.
 * @param resolver Finds the addresses of hosts. Unless told, DNS is asked past the system where only public
 *   addresses will do, since names that take long must not hold each other up; else the system is.
 */
export function createSender(
  policy: WebhookPolicy,
  clock: Clock,
  timeout: number = attemptTimeout,
  resolver: HostResolver = policy.publicAddressesOnly ? dnsResolver() : systemResolver(),
): Sender {
  const pool = new ConnectionPool(guardedConnector(policy, resolver));
  let closed = false;

  return {
    send(delivery) {
      const { url, body } = delivery;
      const startedAt = clock.now();
      const started = performance.now();
      const headers = deliveryHeaders(delivery, startedAt);
      return new Promise((resolve) => {
        const tell = (answer: Answer) => {
          const { status, error, excerpt } = answer;
          const duration = Math.round(performance.now() - started);
          const retryAfter = readWait(answer, clock.now());
          resolve({ startedAt, duration, url, headers, status, error, excerpt, retryAfter });
        };
        if (closed) return tell(unanswered('stopped'));
        // One row of nonsense must not end the worker.
        if (!URL.canParse(url)) return tell(unanswered('unexpected (ERR_INVALID_URL)'));
        const exchange = new Exchange(pool, { url, headers, body }, (answer) => {
          clearTimeout(deadline);
          tell(answer);
        });
        const deadline = setTimeout(() => exchange.stop('timeout'), timeout);
        exchange.start();
      });
    },
    async close() {
      closed = true;
      const ended = pool.close();
      resolver.close();
      await ended;
    },
  };
}
