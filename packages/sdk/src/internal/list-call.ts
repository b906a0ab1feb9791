import type { Page } from '@tradepost/contract/wire';
import type { UnreadableAnswerError } from '../errors/unreadable-answer-error';
import { type Answer, type SafeResult, safely } from './answer';
import { invalidConfiguration } from './invalid-configuration';
import { ringFinder } from './ring-finder';

/**
 * A list that has not been asked for yet. `await` it for one page, loop over it with `for await`
 * for every item: pages are asked for as they are needed.
 *
 * Awaiting asks once, each loop asks anew. `timeout` and `deadline` hold for each page. A service
 * without cursors has one page.
 */
export interface ListCall<Item, OnePage extends Page<Item> = Page<Item>>
  extends PromiseLike<OnePage>,
    AsyncIterable<Item> {
  /** Loops page by page, from the first (or from the query's cursor) to the last. */
  pages(): AsyncIterable<OnePage>;
  /**
   * Collects items into an array.
   *
   * @param options.limit how many items at most: an integer from 1 on, or `Infinity` for all.
   */
  toArray(options: { limit: number }): Promise<Item[]>;
  /** The page that awaiting gives, with its answer's status, headers and request id. */
  withResponse(): Promise<Answer<OnePage>>;
  /** How asking for that page ended, as a value: never throws, whatever went wrong. */
  safe(): Promise<SafeResult<OnePage>>;
}

/** Makes an object that `await` takes for a promise. Here that is the aim, never an accident. */
const then = 'then';

/**
 * Makes a list of a function that asks for one page.
 *
 * @param stuck the error for a page whose cursor leads back to a page before
 * @param isLast whether no page follows a page; one without `nextCursor` is always the last
 */
export function listCall<Item, OnePage extends Page<Item>>(
  firstCursor: string | undefined,
  askPage: (cursor: string | undefined) => Promise<Answer<OnePage & { data: Item[] }>>,
  stuck: (answer: Answer<unknown>) => UnreadableAnswerError,
  isLast: (page: OnePage) => boolean = () => false,
): ListCall<Item, OnePage> {
  let asked: ReturnType<typeof askPage> | undefined;

  function askOnce() {
    asked ??= askPage(firstCursor);
    return asked;
  }

  async function* pages() {
    const leadsBack = ringFinder(firstCursor);
    let cursor = firstCursor;
    for (;;) {
      const answer = await askPage(cursor);
      const page = answer.data;
      yield page;
      if (page.nextCursor === null || isLast(page)) return;
      if (leadsBack(cursor, page.nextCursor)) throw stuck(answer);
      cursor = page.nextCursor;
    }
  }

  async function* items() {
    for await (const page of pages()) yield* page.data;
  }

  return {
    pages,
    [Symbol.asyncIterator]: items,
    [then]: (fulfilled, rejected) =>
      askOnce()
        .then(({ data }) => data)
        .then(fulfilled, rejected),
    withResponse: () => askOnce().then((answer) => answer),
    safe: () => safely(askOnce()),
    async toArray(options?: { limit: number }) {
      // Untyped callers leave it out: without a limit a list could be collected for ever.
      const limit = options?.limit ?? Number.NaN;
      if (!(limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit > 0))) {
        throw invalidConfiguration(
          `toArray needs a limit, a positive integer or Infinity, such as toArray({ limit: 200 }) (got ${options?.limit}).`,
        );
      }
      const collected: Item[] = [];
      for await (const item of items()) {
        collected.push(item);
        if (collected.length >= limit) break;
      }
      return collected;
    },
  };
}
