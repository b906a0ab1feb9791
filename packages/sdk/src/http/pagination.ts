import type { Page } from '@tradepost/contract/wire';
import { type InvalidResponseError, invalidConfiguration } from '../errors';
import { type ApiResponse, type Result, toResult } from './api-promise';
import type { Runtime } from './runtime';

/**
 * A list that is requested lazily. `await` it for one page, or iterate it with `for await` for all items:
 * pages are requested as they are needed.
 *
 * Awaiting sends one request; each loop starts a new iteration. `timeout` and `deadline` apply to each page.
 * A service without cursors has one page.
 */
export interface PagePromise<Item, OnePage extends Page<Item> = Page<Item>>
  extends Promise<OnePage>,
    AsyncIterable<Item> {
  /** Iterates page by page, from the first (or from the query's cursor) to the last. */
  pages(): AsyncIterable<OnePage>;
  /**
   * Collects items into an array.
   *
   * @param options.limit maximum number of items: an integer of at least 1, or `Infinity` for all
   * @throws {TradepostError} `invalid_configuration` without a valid limit, and what a page throws.
   */
  toArray(options: { limit: number }): Promise<Item[]>;
  /** Resolves to the awaited page with the response's status, headers and request ID. */
  withResponse(): Promise<ApiResponse<OnePage>>;
  /** Resolves to the result of that request as a value. It never rejects. */
  safe(): Promise<Result<OnePage>>;
}

/** The key that makes an object awaitable. Computed, because linters flag a literal `then`. */
const then = 'then';

/** Requests the page after a cursor. */
type RequestPage<OnePage> = (cursor: Cursor) => Promise<ApiResponse<OnePage>>;

/**
 * Creates a list from a function that requests one page.
 *
 * @param createLoopError the error for a page whose cursor leads back to an earlier page
 * @param isLast whether no page follows a page; one without `nextCursor` is always the last
 */
export function createPagePromise<Item, OnePage extends Page<Item>>(
  firstCursor: Cursor,
  requestPage: RequestPage<OnePage & { data: Item[] }>,
  createLoopError: (response: ApiResponse<unknown>) => InvalidResponseError,
  isLast: (page: OnePage) => boolean = () => false,
): PagePromise<Item, OnePage> {
  return new LazyList<Item, OnePage>(firstCursor, requestPage, createLoopError, isLast);
}

class LazyList<Item, OnePage extends Page<Item>> implements PagePromise<Item, OnePage> {
  readonly #firstCursor: Cursor;
  readonly #requestPage: RequestPage<OnePage & { data: Item[] }>;
  readonly #createLoopError: (response: ApiResponse<unknown>) => InvalidResponseError;
  readonly #isLast: (page: OnePage) => boolean;
  #requested: Promise<ApiResponse<OnePage>> | undefined;

  constructor(
    firstCursor: Cursor,
    requestPage: RequestPage<OnePage & { data: Item[] }>,
    createLoopError: (response: ApiResponse<unknown>) => InvalidResponseError,
    isLast: (page: OnePage) => boolean,
  ) {
    this.#firstCursor = firstCursor;
    this.#requestPage = requestPage;
    this.#createLoopError = createLoopError;
    this.#isLast = isLast;
  }

  get [Symbol.toStringTag](): string {
    return 'PagePromise';
  }

  #requestOnce(): Promise<ApiResponse<OnePage>> {
    this.#requested ??= this.#requestPage(this.#firstCursor);
    return this.#requested;
  }

  #awaitPage(): Promise<OnePage> {
    return this.#requestOnce().then(({ data }) => data);
  }

  [then]<Fulfilled = OnePage, Rejected = never>(
    fulfilled?: ((page: OnePage) => Fulfilled | PromiseLike<Fulfilled>) | null,
    rejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#awaitPage().then(fulfilled, rejected);
  }

  catch<Rejected = never>(
    rejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<OnePage | Rejected> {
    return this.#awaitPage().catch(rejected);
  }

  finally(settled?: (() => void) | null): Promise<OnePage> {
    return this.#awaitPage().finally(settled);
  }

  withResponse(): Promise<ApiResponse<OnePage>> {
    return this.#requestOnce().then((response) => response);
  }

  safe(): Promise<Result<OnePage>> {
    return toResult(this.#requestOnce());
  }

  async *pages(): AsyncGenerator<OnePage & { data: Item[] }, void, undefined> {
    let cursor = this.#firstCursor;
    const isLoop = createCursorLoopDetector(cursor);
    for (;;) {
      const response = await this.#requestPage(cursor);
      const page = response.data;
      yield page;
      if (page.nextCursor === null || this.#isLast(page)) return;
      if (isLoop(cursor, page.nextCursor)) throw this.#createLoopError(response);
      cursor = page.nextCursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  async toArray(options?: { limit: number }): Promise<Item[]> {
    // Untyped callers may leave out the limit, which would collect a whole list without a bound.
    const limit = options?.limit ?? Number.NaN;
    if (!(limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit > 0))) {
      throw invalidConfiguration(
        `toArray needs a limit, a positive integer or Infinity, such as toArray({ limit: 200 }) (got ${options?.limit}).`,
      );
    }
    const collected: Item[] = [];
    for await (const item of this) {
      collected.push(item);
      if (collected.length >= limit) break;
    }
    return collected;
  }
}

/** Minimum time between two requests for new events, for a service that ignores `waitSeconds`. */
const minRoundMs = 1_000;

/**
 * Requests page after page without an end, each from where the previous one ended.
 *
 * @param requestPage requests the page after a cursor
 * @param createLoopError the error for a page whose cursor leads back to an earlier page, except at the end of the log
 * @throws {InvalidResponseError} the error of `createLoopError`, after the page.
 */
export async function* pollPages<
  Page extends { data: unknown[]; nextCursor: string; hasMore?: boolean },
>(
  firstCursor: string | undefined,
  requestPage: (cursor: string | undefined) => Promise<ApiResponse<Page>>,
  createLoopError: (response: ApiResponse<unknown>) => InvalidResponseError,
  signal: AbortSignal | undefined,
  { elapsed, wait }: Pick<Runtime, 'elapsed' | 'wait'>,
): AsyncGenerator<Page, never, undefined> {
  const isLoop = createCursorLoopDetector(firstCursor);
  let cursor = firstCursor;
  for (;;) {
    const start = elapsed();
    // Throws if the signal aborted, also during a pause.
    const response = await requestPage(cursor);
    const page = response.data;
    yield page;
    const isAtEnd = page.data.length === 0 && page.hasMore !== true;
    // A page at the end may repeat its cursor.
    if (!isAtEnd && isLoop(cursor, page.nextCursor)) throw createLoopError(response);
    cursor = page.nextCursor;
    const pause = minRoundMs - (elapsed() - start);
    if (isAtEnd && pause > 0) await wait(pause, signal);
  }
}

type Cursor = string | undefined;

/**
 * Creates a detector of cursor loops. It keeps one cursor to compare with, however long the list is, and
 * replaces it after 1, 2, 4 … pages (Brent, "An improved Monte Carlo factorization algorithm", 1980). It
 * finds a loop before the third round, or within as many pages as led to it.
 *
 * @param first the cursor of the first request
 * @returns whether a page leads back, given the cursor of its request and its next cursor
 */
export function createCursorLoopDetector(first: Cursor): (from: Cursor, to: string) => boolean {
  let mark = first;
  let lap = 1;
  let left = lap;
  return (from, to) => {
    if (to === from || to === mark) return true;
    left -= 1;
    if (left === 0) {
      mark = to;
      lap *= 2;
      left = lap;
    }
    return false;
  };
}
