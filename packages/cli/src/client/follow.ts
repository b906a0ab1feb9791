import type { EventListParams, EventPage, Tradepost } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { Stopped } from '../errors/cli-error';
import { getExitReason } from '../errors/exit-codes';
import type { Connection, RequestLimits } from './connection';
import { isAway } from './outage';

/** How long a request waits for new events, in seconds: a loss of the connection is noticed soon after. */
const waitSeconds = 10;

/** A position in the account's events. */
export type Position = Pick<EventListParams, 'after' | 'since'>;

export interface Following {
  /** Where to start. */
  from: Position;
  connection: Connection;
  /** Called for each page before it is returned. */
  onContact?: () => void;
}

/**
 * Follows the account's events page by page, and continues after an outage, for example a restart of the
 * service. At first and after an outage it requests what there is; then each request waits for new events.
 * It ends when the signal aborts.
 *
 * @throws what following throws; for an unreachable service only after the timeout of the connection
 */
export async function* followResiliently(
  client: Pick<Tradepost, 'events'>,
  { from, connection, onContact }: Following,
  { signal }: Pick<CliContext, 'signal'>,
): AsyncIterable<EventPage> {
  let position = from;
  let pages: AsyncIterator<EventPage> | null = null;
  let isWaiting = false;

  async function requestPage(limits: RequestLimits): Promise<EventPage> {
    try {
      pages ??= openPages(client, position, isWaiting, { signal, ...limits });
      const { value, done } = await pages.next();
      if (done) throw new Error('The pages of the events have ended.');
      return value;
    } catch (error) {
      // What was missed comes at once.
      pages = null;
      isWaiting = false;
      throw error;
    }
  }

  while (!signal.aborted) {
    const isFirstContact = connection.lastContact() === null;
    let page: EventPage;
    try {
      page = await connection.send(requestPage, isWaiting ? waitSeconds : 0);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    onContact?.();
    yield page;
    position = { after: page.nextCursor };
    const isAtEnd = !isWaiting && page.data.length === 0 && page.hasMore !== true;
    if (isAtEnd) isWaiting = true;
    // The limits of the next requests are others.
    if (isAtEnd || isFirstContact) pages = null;
  }
}

function openPages(
  { events }: Pick<Tradepost, 'events'>,
  position: Position,
  isWaiting: boolean,
  options: RequestLimits & { signal: AbortSignal },
): AsyncIterator<EventPage> {
  const pages = isWaiting
    ? events.follow({ ...position, waitSeconds }, options).pages()
    : events.list(position, options).pages();
  return pages[Symbol.asyncIterator]();
}

/** Finds the latest position in the account's events. */
export async function getLatestCursor(
  { events }: Pick<Tradepost, 'events'>,
  connection: Pick<Connection, 'send'>,
  { signal }: Pick<CliContext, 'signal'>,
): Promise<{ after: string }> {
  const { nextCursor } = await connection.send((limits) =>
    events.list({ after: 'now', limit: 1 }, { signal, ...limits }),
  );
  return { after: nextCursor };
}

/**
 * Runs a command that has no other end than Ctrl-C.
 *
 * @throws {Stopped} if an interruption ended a request, or the wait for another attempt
 */
export async function runUntilStopped(
  run: () => Promise<void>,
  { signal }: Pick<CliContext, 'signal'>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const isInterrupted = isAway(error) || getExitReason(error) === 'interrupted';
    throw signal.aborted && isInterrupted && !(error instanceof Stopped) ? new Stopped() : error;
  }
}
