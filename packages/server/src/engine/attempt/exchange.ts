import type { IncomingHttpHeaders } from 'node:http';
import { toAttemptError } from './attempt-error';
import type { Connection, ConnectionPool } from './connection-pool';
import type { Dispatcher } from './undici';

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
