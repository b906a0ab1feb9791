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
  /** The values of the header of this name, in their order: a receiver may repeat it. */
  retryAfter: readonly string[];
}

/** What came of a post to which there was no response. */
export function unanswered(error: string): Answer {
  return { status: null, error, excerpt: '', retryAfter: [] };
}

/**
 * One post and what comes back. The answer is read up to 16 kB, never unpacked, and no redirect is followed.
 *
 * Whatever the receiver sends, in whatever order, and whatever throws on the way, `#end` is called: by the
 * parser's events, by what one of them throws, or by the timeout at the latest. It alone ends the exchange, once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Fulfils when the exchange has ended; it never rejects. */
  readonly ended: Promise<Answer>;
  readonly #pool: ConnectionPool;
  readonly #request: Dispatcher.DispatchOptions;
  #fulfil: (answer: Answer) => void = () => {};
  #connection: Connection;
  #timer: NodeJS.Timeout | undefined;
  #sentAgain = false;
  #hasEnded = false;
  #heard = false;
  #status: number | null = null;
  #retryAfter: string[] = [];
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(pool: ConnectionPool, { url, headers, body }: Post) {
    const { origin, pathname, search } = new URL(url);
    this.#pool = pool;
    this.#request = { method: 'POST', path: pathname + search, headers, body };
    this.#connection = pool.take(origin);
    this.ended = new Promise((fulfil) => {
      this.#fulfil = fulfil;
    });
  }

  /**
   * Sends the post.
   *
   * @param timeout Milliseconds until the exchange ends with what has come by then.
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
      this.#heard = true;
      // What is below 200 announces an answer and is none.
      if (status < 200) return;
      this.#status = status;
      // The types promise one value. A header that comes twice is a list of them.
      const retryAfter: string | string[] | undefined = headers['retry-after'];
      this.#retryAfter = retryAfter === undefined ? [] : [retryAfter].flat();
    });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#safely(() => {
      if (this.#length < keepAtMost) this.#chunks.push(chunk);
      this.#length += chunk.length;
      if (this.#length >= readAtMost) this.#end(null);
    });
  }

  onResponseEnd(): void {
    this.#safely(() => this.#end(null, 'whole'));
  }

  onResponseError(_: unknown, fault: Error): void {
    this.#safely(() => {
      if (this.#hasEnded) return;
      const error = nameError(fault, this.#status !== null);
      if (error === 'connection_reset' && this.#mayBeSentAgain()) this.#sendAgain();
      else this.#end(error);
    });
  }

  #dispatch(): void {
    this.#connection.dispatch(this.#request, this);
  }

  /** What is thrown in here ends the exchange, and nothing else. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#end(nameError(error, this.#status !== null));
    }
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
    this.#dispatch();
  }

  /** @param came `whole` when nothing is left to read: the connection can be used again. */
  #end(error: string | null, came: 'whole' | 'in part' = 'in part'): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    // Nothing keeps it from the caller: neither what is made of the response nor what follows.
    let answer = unanswered(error ?? 'unexpected');
    this.#safely(() => {
      answer = this.#collect(error);
    });
    this.#fulfil(answer);
    this.#safely(() => {
      if (came === 'whole') this.#pool.giveBack(this.#connection);
      else this.#pool.drop(this.#connection);
    });
  }

  #collect(error: string | null): Answer {
    const text = Buffer.concat(this.#chunks).toString('utf8', 0, keepAtMost);
    return {
      status: this.#status,
      error,
      // Not every store keeps NUL in a text.
      excerpt: text.replaceAll('\0', '\uFFFD'),
      retryAfter: this.#retryAfter,
    };
  }
}
