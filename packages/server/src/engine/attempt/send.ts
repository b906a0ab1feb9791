import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  formatPosition,
  deliveryHeaderNames as names,
  positionHead,
} from '@tradepost/contract/wire';
import {
  type Attempt,
  attemptTimeoutMs,
  type LeasedDelivery,
  retryWindowMs,
} from '@tradepost/domain/deliveries/delivery';
import type { Clock } from '@tradepost/domain/kernel/context';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { WebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { version } from '../../kernel/version';
import { toAttemptError } from './attempt-error';
import { type Connection, ConnectionPool } from './connection-pool';
import {
  createDnsResolver,
  guardedConnector,
  type HostResolver,
  systemResolver,
} from './ssrf-guard';
import type { Dispatcher } from './undici';

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
        response = await post(delivery, headers);
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

const maxReadBytes = 16_384;
const maxSnippetBytes = 1_000;
/** How many informational responses are skipped. Each takes time of the engine, and a receiver could send them without end. */
const maxInformational = 16;

/** A request to a receiver. */
export interface DeliveryRequest {
  /** An absolute URL. Credentials in it are not sent. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The response of a receiver. */
export interface DeliveryResponse {
  /** Null if there was none. */
  status: number | null;
  /** Why there is no complete response; null if it is complete, or as much of it as is read. */
  error: string | null;
  /** The first 1,000 bytes of the body, as text. */
  responseSnippet: string;
  /** The values of the `Retry-After` headers in their order; a receiver may repeat the header. */
  retryAfter: readonly string[];
}

/** Returns the result of a request without a response. */
export function noResponse(error: string): DeliveryResponse {
  return { status: null, error, responseSnippet: '', retryAfter: [] };
}

/**
 * One request and its response. The response is read up to 16 kB, not decompressed, and redirects are not followed.
 *
 * Whatever the receiver sends and whatever throws, `#end` is called: by an event of the parser, by an exception in one, or at
 * the latest by the timeout. Only `#end` ends the exchange, once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Resolves when the exchange has ended. Never rejects. */
  readonly ended: Promise<DeliveryResponse>;
  readonly #pool: ConnectionPool;
  readonly #request: Dispatcher.DispatchOptions;
  #resolve: (response: DeliveryResponse) => void = () => {};
  #connection: Connection;
  #timer: NodeJS.Timeout | undefined;
  #hasResent = false;
  #hasEnded = false;
  #hasResponse = false;
  #informational = 0;
  #status: number | null = null;
  #retryAfter: string[] = [];
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(pool: ConnectionPool, { url, headers, body }: DeliveryRequest) {
    const { origin, pathname, search } = new URL(url);
    this.#pool = pool;
    this.#request = { method: 'POST', path: pathname + search, headers, body };
    this.#connection = pool.take(origin);
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /**
   * Sends the request.
   *
   * @param timeout Milliseconds until the exchange ends with what has arrived.
   */
  start(timeout: number): void {
    this.#timer = setTimeout(() => this.#end('timeout'), timeout);
    this.#safely(() => this.#dispatch());
  }

  onRequestStart(): void {
    this.#safely(() => this.#connection.begin());
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#safely(() => {
      this.#hasResponse = true;
      // A status below 200 is informational; the response follows.
      if (status < 200) {
        this.#informational += 1;
        if (this.#informational > maxInformational) this.#end('response_too_large');
        return;
      }
      this.#status = status;
      // The type promises one value, but a repeated header is an array.
      const retryAfter: string | string[] | undefined = headers['retry-after'];
      this.#retryAfter = retryAfter === undefined ? [] : [retryAfter].flat();
    });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#safely(() => {
      if (this.#length < maxSnippetBytes) this.#chunks.push(chunk);
      this.#length += chunk.length;
      if (this.#length >= maxReadBytes) this.#end(null);
    });
  }

  onResponseEnd(): void {
    this.#safely(() => this.#end(null, 'whole'));
  }

  onResponseError(_: unknown, cause: Error): void {
    this.#safely(() => {
      if (this.#hasEnded) return;
      const error = toAttemptError(cause, this.#status !== null);
      if (error === 'connection_reset' && this.#canResend()) this.#resend();
      else this.#end(error);
    });
  }

  #dispatch(): void {
    this.#connection.dispatch(this.#request, this);
  }

  /** Ends the exchange if `work` throws. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#end(toAttemptError(error, this.#status !== null));
    }
  }

  /**
   * A receiver may close an idle connection just as it is reused, which is not its fault. If it did receive the delivery, it
   * recognizes the second one by its ID. Source: RFC 9110, section 9.2.2.
   */
  #canResend(): boolean {
    return this.#connection.isUsed && !this.#hasResponse && !this.#hasResent;
  }

  #resend(): void {
    this.#hasResent = true;
    this.#pool.drop(this.#connection);
    this.#connection = this.#pool.takeNew(this.#connection.origin);
    this.#dispatch();
  }

  /** @param received `whole` if nothing is left to read, so that the connection can be reused. */
  #end(error: string | null, received: 'whole' | 'in part' = 'in part'): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    // The caller always gets a response, even if collecting it fails.
    let response = noResponse(error ?? 'unexpected');
    this.#safely(() => {
      response = this.#collect(error);
    });
    this.#resolve(response);
    this.#safely(() => {
      if (received === 'whole') this.#pool.release(this.#connection);
      else this.#pool.drop(this.#connection);
    });
  }

  #collect(error: string | null): DeliveryResponse {
    const text = Buffer.concat(this.#chunks).toString('utf8', 0, maxSnippetBytes);
    return {
      status: this.#status,
      error,
      // Not every store accepts NUL in text.
      responseSnippet: text.replaceAll('\0', '\uFFFD'),
      retryAfter: this.#retryAfter,
    };
  }
}

// The three forms of an HTTP date; Date.parse accepts many more. Source: RFC 9110, section 5.6.7.
const withTimeZone = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -](\d{4}|\d\d) \d\d:\d\d:\d\d GMT$/;
const withoutTimeZone = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

function parseHttpDate(text: string): number {
  if (withTimeZone.test(text)) return Date.parse(text);
  // This form is UTC too, but Date.parse would read it as local time.
  return withoutTimeZone.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}

function parseDelay(value: string, now: number): number | null {
  const text = value.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, wait), retryWindowMs);
}

/**
 * Returns the wait that `Retry-After` requests, in milliseconds. The header has seconds, in any number of digits, or an HTTP
 * date. The result is at most 24 hours, the retry window. The longest of several valid values counts. Returns null if there is
 * none. Source: RFC 9110, section 10.2.3.
 *
 * @param values One value for each time that the header was sent.
 * @param now Milliseconds since 1970.
 */
export function parseRetryAfter(values: readonly string[], now: number): number | null {
  const waits = values.map((value) => parseDelay(value, now)).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

const userAgent = `Tradepost/${version}`;

/** The parts of a delivery that its headers depend on. */
export type DeliveryIdentity = Pick<
  LeasedDelivery,
  'eventId' | 'body' | 'secret' | 'stagedSecret' | 'test' | 'sequence' | 'orderVersion'
>;

/** Returns `webhook-signature`. While a secret is staged, it has one signature by each secret. Source: Standard Webhooks. */
function standardSignatures(
  { eventId, body, secret, stagedSecret }: DeliveryIdentity,
  seconds: number,
) {
  const current = signStandard(secret, eventId, seconds, body);
  if (stagedSecret === null) return current;
  return `${current} ${signStandard(stagedSecret, eventId, seconds, body)}`;
}

/**
 * Returns the headers of one attempt, in their documented spelling. `Service-Signature` has one value, by the current secret.
 *
 * @param now The time of the attempt in milliseconds since 1970. Receivers reject old timestamps.
 */
export function deliveryHeaders(delivery: DeliveryIdentity, now: number): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  // One object literal: spreading several objects into one costs as much as a signature.
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    [names.signature]: signBody(delivery.secret, delivery.body),
    [names.webhookId]: delivery.eventId,
    [names.webhookTimestamp]: String(seconds),
    [names.webhookSignature]: standardSignatures(delivery, seconds),
  };
  if (delivery.test) headers[names.test] = 'true';
  if (delivery.sequence !== null) addPosition(headers, delivery, delivery.sequence, seconds);
  return headers;
}

/** Adds the position of the event, with one signature by each secret. */
function addPosition(
  headers: Record<string, string>,
  { eventId, orderVersion, body, secret, stagedSecret }: DeliveryIdentity,
  sequence: number,
  seconds: number,
): void {
  const position = formatPosition({ sequence, orderVersion });
  const message = positionHead(eventId, seconds, position) + body;
  const current = signBody(secret, message);
  headers[names.position] = position;
  headers[names.positionSignature] =
    stagedSecret === null ? current : `${current} ${signBody(stagedSecret, message)}`;
}

const secretPrefix = 'whsec_';

/**
 * Returns `Service-Signature`: the lowercase hex HMAC-SHA256 of the body, keyed with the whole secret text. Source: API
 * specification, "Signature".
 */
export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Returns one signature of `webhook-signature`, keyed with the bytes after `whsec_`. Source: Standard Webhooks. */
export function signStandard(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
