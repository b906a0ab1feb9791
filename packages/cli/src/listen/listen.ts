import type { AccountEvent, EventKind, EventsPage } from '@tradepost/sdk';
import { checkRecord } from '../check-record';
import { CliError } from '../cli-error';
import { attemptFailure } from '../webhooks/attempt-failure';
import type { Forwarded } from '../webhooks/forward-event';
import type { Place } from './place';
import type { StatusLine } from './status-line';

/** An event that a receiver took. */
export interface ForwardedEvent {
  /** When it took it: ISO 8601, UTC. */
  at: string;
  /** The event, `evt_<id>`. */
  id: string;
  /** Its kind. */
  event: string;
  /** The status that the receiver answered with. */
  status: number;
  /** How many attempts it took. */
  attempts: number;
  /** How long the last of them took, in milliseconds. */
  durationMs: number;
}

/** What listening is made of. */
export interface Listening {
  /** Where to begin. */
  start: Place;
  /** The pages of events from there on, without an end until it is interrupted. */
  pages: AsyncIterable<EventsPage>;
  /** The kinds that are forwarded; all unless told. */
  kinds: readonly EventKind[] | undefined;
  /** How often an event is tried. */
  maxAttempts: number;
  /** Forwards an event. A receiver that fails is no exception. */
  forward: (event: AccountEvent) => Promise<Forwarded>;
  /** Keeps the place. */
  keep: (place: Place) => void;
  /** Tells of an event that was taken. */
  tell: (event: ForwardedEvent) => Promise<void>;
  /** Shows how it goes. */
  status: StatusLine;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Resolves after some milliseconds, or as soon as it is interrupted. */
  wait: (milliseconds: number) => Promise<void>;
  /** Aborted when it is to end. */
  signal: AbortSignal;
  /** The command that goes on from the kept place, in words. */
  again: string;
}

/** The pause after a number of failed attempts, in milliseconds: 1 s, 2 s, 4 s … at most 30 s. */
export function pauseAfter(attempts: number): number {
  return Math.min(1_000 * 2 ** (attempts - 1), 30_000);
}

/**
 * Forwards events, one at a time and in order: the next one when the one before was taken. Nothing is
 * left out. An event whose acknowledgement was not kept is forwarded again after a restart.
 *
 * @throws {CliError} `cannot_go_on` when a receiver does not take an event, and what its parts throw.
 */
export async function listen(listening: Listening): Promise<void> {
  const { start, pages, kinds, keep, status, signal } = listening;
  let { from, done } = start;
  for await (const { data, nextCursor } of pages) {
    status.contact();
    for (const event of eventsAfter(data.map(checkRecord), done)) {
      if (signal.aborted) return;
      const isWanted = kinds?.some((kind) => kind === event.event) ?? true;
      if (isWanted) {
        const taken = await forwardUntilTaken(event, listening);
        if (taken === null) return;
        keep({ from, done: event.id });
        status.forwarded();
        await listening.tell(taken);
      }
      done = event.id;
    }
    const isMoved = !('after' in from) || from.after !== nextCursor || done !== null;
    from = { after: nextCursor };
    done = null;
    if (isMoved) keep({ from, done });
  }
}

/** Those that follow the one that is done with. One that has been pruned since is followed by all. */
function eventsAfter(events: readonly AccountEvent[], done: string | null): AccountEvent[] {
  return events.slice(events.findIndex(({ id }) => id === done) + 1);
}

/** Null when it was interrupted before the receiver took the event. */
async function forwardUntilTaken(
  event: AccountEvent,
  { forward, maxAttempts, status, now, wait, signal, again }: Listening,
): Promise<ForwardedEvent | null> {
  for (let attempts = 1; ; attempts += 1) {
    const startedAt = now();
    const { status: answered, error, excerpt } = await forward(event);
    const endedAt = now();
    // One that was ended early says nothing of the receiver.
    if (signal.aborted && error !== null) return null;
    const failure = attemptFailure({ lastStatus: answered, lastError: error });
    if (failure === null && answered !== null) {
      return {
        at: new Date(endedAt).toISOString(),
        id: event.id,
        event: event.event,
        status: answered,
        attempts,
        durationMs: endedAt - startedAt,
      };
    }
    const reason = `${failure?.reason ?? 'no answer came'}${excerpt === '' ? '' : ` (${excerpt.trim()})`}`;
    const what = `${event.event} ${event.id}`;
    if (attempts >= maxAttempts) {
      const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      throw new CliError(
        'cannot_go_on',
        `${what} could not be forwarded in ${tried}: ${reason}`,
        `Mend the receiver: ${again} goes on with this event.`,
      );
    }
    if (signal.aborted) return null;
    const pause = pauseAfter(attempts);
    status.say(`${what}: ${reason}. Next attempt in ${pause / 1_000} s.`);
    await wait(pause);
    if (signal.aborted) return null;
  }
}
