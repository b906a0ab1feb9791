import { AbortError } from '../errors/abort-error';
import type { UnreadableAnswerError } from '../errors/unreadable-answer-error';
import type { Answer } from './answer';
import { ringFinder } from './ring-finder';
import type { Runtime } from './runtime';

/** A service that answers "nothing yet" without waiting is asked no more often than this. */
const shortestRoundMs = 1_000;

/**
 * Asks for page after page, without an end: each from where the one before ended. Returns when the
 * signal aborts.
 *
 * @param askPage asks for the page that follows a cursor
 * @param stuck the error for a page of events whose cursor leads back to a page before
 * @throws {UnreadableAnswerError} what `stuck` makes, after the page.
 */
export async function* followPages<Page extends { data: unknown[]; nextCursor: string }>(
  firstCursor: string | undefined,
  askPage: (cursor: string | undefined) => Promise<Answer<Page>>,
  stuck: (answer: Answer<unknown>) => UnreadableAnswerError,
  signal: AbortSignal | undefined,
  { elapsed, wait }: Pick<Runtime, 'elapsed' | 'wait'>,
): AsyncGenerator<Page, void, undefined> {
  const leadsBack = ringFinder(firstCursor);
  let cursor = firstCursor;
  while (!signal?.aborted) {
    const start = elapsed();
    let answer: Answer<Page>;
    try {
      answer = await askPage(cursor);
    } catch (error) {
      if (error instanceof AbortError) return;
      throw error;
    }
    const page = answer.data;
    yield page;
    // A page without events may well be asked for again.
    if (page.data.length > 0 && leadsBack(cursor, page.nextCursor)) throw stuck(answer);
    cursor = page.nextCursor;
    const pause = shortestRoundMs - (elapsed() - start);
    if (page.data.length === 0 && pause > 0) await wait(pause, signal);
  }
}
