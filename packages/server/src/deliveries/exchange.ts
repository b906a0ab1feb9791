import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection';
import type { ConnectionPool } from './connection-pool';
import { nameError } from './name-error';

const readAtMost = 16_384;
const keepAtMost = 1_000;

/** What is posted, and where. */
export interface Post {
  /** An absolute URL. Credentials in it are not sent. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What came of a post. */
export interface Answer {
  /** Null when none came. */
  status: number | null;
  /** Why there was no answer or it broke off; null when it came whole, or as much of it as is read. */
  error: string | null;
  /** The first 1,000 bytes of the body, as text. */
  excerpt: string;
  /** The header of this name. */
  retryAfter: string | undefined;
}

/**
 * One post and what comes back. The answer is read up to 16 kB, never unpacked, and no redirect is followed. It
 * can be stopped at any moment.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #pool: ConnectionPool;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #onEnd: (answer: Answer) => void;
  #connection: Connection;
  #sentAgain = false;
  #ended = false;
  #heard = false;
  #status: number | null = null;
  #retryAfter: string | undefined;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(pool: ConnectionPool, { url, headers, body }: Post, onEnd: (answer: Answer) => void) {
    const { origin, pathname, search } = new URL(url);
    this.#pool = pool;
    this.#request = { method: 'POST', path: pathname + search, headers, body };
    this.#onEnd = onEnd;
    this.#connection = pool.take(origin);
  }

  /** Sends the post. */
  start(): void {
    this.#connection.dispatch(this.#request, this);
  }

  /** Ends it now, with what has come so far. */
  stop(error: string): void {
    this.#end(error);
  }

  onRequestStart(): void {
    this.#connection.begin();
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#heard = true;
    // What is below 200 announces an answer and is none.
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = headers['retry-after'];
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#length < keepAtMost) this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length >= readAtMost) this.#end(null);
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#pool.giveBack(this.#connection);
    this.#tell(null);
  }

  onResponseError(_: unknown, fault: Error): void {
    if (this.#ended) return;
    const error = nameError(fault, this.#status !== null);
    if (error === 'connection_reset' && this.#mayBeSentAgain()) this.#sendAgain();
    else this.#end(error);
  }

  /**
   * A receiver may close an idle connection just as it is used: that is no fault of its own. Should the delivery
   * have come to it all the same, it knows it by its id. Source: RFC 9110, section 9.2.2.
   */
  #mayBeSentAgain(): boolean {
    return this.#connection.isUsed && !this.#heard && !this.#sentAgain;
  }

  #sendAgain(): void {
    this.#sentAgain = true;
    this.#pool.drop(this.#connection);
    this.#connection = this.#pool.takeNew(this.#connection.origin);
    this.start();
  }

  #end(error: string | null): void {
    if (this.#ended) return;
    this.#tell(error);
    this.#pool.drop(this.#connection);
  }

  #tell(error: string | null): void {
    this.#ended = true;
    const text = Buffer.concat(this.#chunks).toString('utf8', 0, keepAtMost);
    this.#onEnd({
      status: this.#status,
      error,
      // Not every store keeps NUL in a text.
      excerpt: text.replaceAll('\0', '\uFFFD'),
      retryAfter: this.#retryAfter,
    });
  }
}
