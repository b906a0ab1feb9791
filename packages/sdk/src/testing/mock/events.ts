import { endOfLog, eventWaitSeconds } from '@tradepost/contract/wire';
import { parseTime } from './check-fields';
import type { HandlerRequest, MockResponse } from './handler';
import type { EventRecord, Market } from './market';
import { decodeCursor, encodeCursor } from './page';
import { MockProblem } from './problem';

/** Handles `GET /v1/events`. Waits for `waitSeconds` at most, while there is no event. */
export async function listEvents(market: Market, request: HandlerRequest): Promise<MockResponse> {
  const { query, signal } = request;
  const seconds = Number(query.waitSeconds ?? eventWaitSeconds.default);
  // As with `now`, nothing is missed if the time of the client is ahead.
  const isFromNow = query.after === endOfLog || parseTime(query.since) > market.clock.now();
  const after = isFromNow ? market.events.length : decodeEventCursor(query.after);
  const read = () => readEvents(market, request, after);
  if (seconds > 0 && read().length === 0) {
    await waitForEvent(market, () => read().length > 0, seconds * 1_000, signal);
  }
  const events = read();
  // Without new events, all that `since` excludes is skipped too, but not what is of other orders.
  const last = query.orderId === undefined ? market.events.at(-1)?.sequence : undefined;
  const end = events.at(-1)?.sequence ?? Math.max(after, last ?? 0);
  const data = events.map(({ id, body }) => ({ id, ...body }));
  return { status: 200, body: { data, nextCursor: encodeCursor(`events.${end}`) } };
}

function readEvents(
  { events, clock }: Market,
  { caller, query, limit }: HandlerRequest,
  after: number,
): EventRecord[] {
  // A time in the future excludes nothing: the position does.
  const since = Math.min(parseTime(query.since), clock.now());
  return events
    .filter(
      ({ sequence, orderId, body, recipients }) =>
        sequence > after &&
        !(Date.parse(body.createdAt) < since) &&
        (query.orderId === undefined || query.orderId === orderId) &&
        recipients.includes(caller.id),
    )
    .slice(0, limit);
}

/**
 * Waits until there is an event, the time is over by the clock of the mock or by that of the runtime, or the client
 * no longer waits.
 */
function waitForEvent(
  { clock, eventListeners }: Market,
  hasEvent: () => boolean,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const until = clock.now() + milliseconds;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      eventListeners.delete(check);
      stopListening();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const check = () => {
      if (hasEvent() || clock.now() >= until) end();
    };
    const timer = setTimeout(end, milliseconds);
    const stopListening = clock.onAdvance(check);
    eventListeners.add(check);
    signal?.addEventListener('abort', end);
  });
}

function decodeEventCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, digits] = /^events\.(\d{1,15})$/.exec(decodeCursor(cursor) ?? '') ?? [];
  if (digits !== undefined) return Number(digits);
  throw new MockProblem(
    'invalid_cursor',
    'This cursor is not valid for this list. Send nextCursor of the previous page unchanged as after, or use since to start over.',
  );
}
