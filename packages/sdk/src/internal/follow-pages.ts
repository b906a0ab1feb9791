import { AbortError } from '../errors/abort-error';
import type { Runtime } from './runtime';

/** A service that answers "nothing yet" without waiting is asked no more often than this. */
const shortestRoundMs = 1_000;

/**
 * Asks for page after page, without an end: each from where the one before ended. Returns when the
 * signal aborts.
 *
 * @param askPage asks for the page that follows a cursor
 */
export async function* followPages<Page extends { data: unknown[]; nextCursor: string }>(
  firstCursor: string | undefined,
  askPage: (cursor: string | undefined) => Promise<Page>,
  signal: AbortSignal | undefined,
  { elapsed, wait }: Pick<Runtime, 'elapsed' | 'wait'>,
): AsyncGenerator<Page, void, undefined> {
  let cursor = firstCursor;
  while (!signal?.aborted) {
    const start = elapsed();
    let page: Page;
    try {
      page = await askPage(cursor);
    } catch (error) {
      if (error instanceof AbortError) return;
      throw error;
    }
    yield page;
    cursor = page.nextCursor;
    const pause = shortestRoundMs - (elapsed() - start);
    if (page.data.length === 0 && pause > 0) await wait(pause, signal);
  }
}
