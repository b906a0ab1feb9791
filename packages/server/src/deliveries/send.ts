import type { Clock } from '../clock';
import type { WebhookPolicy } from '../webhooks/webhook-policy';
import { ConnectionPool } from './connection-pool';
import { type Attempt, attemptTimeout, type ClaimedDelivery } from './delivery';
import { deliveryHeaders } from './delivery-headers';
import { type Answer, Exchange, unanswered } from './exchange';
import { guardedConnector } from './guard-address';
import { nameError } from './name-error';
import { dnsResolver, type HostResolver, systemResolver } from './resolve-host';
import { readRetryAfter } from './retry-after';

/** Makes attempts. One attempt never outlives 15 s, never follows a redirect, reads 16 kB at most. */
export interface Sender {
  /** Posts a delivery's bytes, signed, and tells how it went. It never rejects because of a receiver. */
  send(delivery: ClaimedDelivery): Promise<Attempt>;
  /** Ends all connections, and with them the attempts that are under way. */
  close(): Promise<void>;
}

function defaultResolver(policy: WebhookPolicy): HostResolver {
  return policy.publicAddressesOnly ? dnsResolver() : systemResolver();
}

/** How long the receiver asks to be left alone, if its status is one that may ask that. */
function readWait({ status, retryAfter }: Answer, now: number): number | null {
  return status === 429 || status === 503 ? readRetryAfter(retryAfter, now) : null;
}

/** What can be set of a sender. */
export interface SenderOptions {
  /** Milliseconds that one attempt may take in all; 15 s by default. */
  timeout?: number | undefined;
  /** How many connections are kept open between attempts; 512 by default. */
  maxIdle?: number | undefined;
  /**
   * Finds the addresses of hosts. By default DNS is asked past the system where only public addresses will do,
   * since names that take long must not hold each other up; else the system is.
   */
  resolver?: HostResolver | undefined;
}

/** A sender with connections of its own, which it keeps open between attempts. */
export function createSender(
  policy: WebhookPolicy,
  clock: Clock,
  { timeout = attemptTimeout, maxIdle, resolver = defaultResolver(policy) }: SenderOptions = {},
): Sender {
  const pool = new ConnectionPool(guardedConnector(policy, resolver), maxIdle);
  let closed = false;

  async function post(delivery: ClaimedDelivery, headers: Record<string, string>): Promise<Answer> {
    if (closed) return unanswered('stopped');
    const { url, body } = delivery;
    const exchange = new Exchange(pool, { url, headers, body });
    exchange.start(timeout);
    return exchange.ended;
  }

  return {
    async send(delivery) {
      const { url } = delivery;
      const startedAt = clock.now();
      const started = performance.now();
      let headers: Record<string, string> = {};
      let answer: Answer;
      try {
        headers = deliveryHeaders(delivery, startedAt);
        answer = await post(delivery, headers);
      } catch (error) {
        // One row of nonsense, such as a URL that is not one, must not end the worker.
        answer = unanswered(nameError(error));
      }
      const { status, error, excerpt } = answer;
      const duration = Math.round(performance.now() - started);
      const retryAfter = readWait(answer, clock.now());
      return { startedAt, duration, url, headers, status, error, excerpt, retryAfter };
    },
    async close() {
      closed = true;
      const ended = pool.close();
      resolver.close();
      await ended;
    },
  };
}
