import type { EventPage, FollowEventsOptions, Tradepost } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { getExitReason, getRetryAfter, isLimited } from '../errors/exit-codes';
import { getRequestErrorMessage } from '../report/error-report';

export interface ReconnectPolicy {
  timeoutMs: number;
  onLost: (error: unknown) => void;
  onReconnected: () => void;
}

/**
 * Creates a policy that reports to a person.
 *
 * @param reconnectTimeout seconds
 */
export function createReconnectPolicy(
  reconnectTimeout: number,
  print: (text: string) => void,
): ReconnectPolicy {
  const limit =
    reconnectTimeout >= 120 && reconnectTimeout % 60 === 0
      ? `${reconnectTimeout / 60} minutes`
      : `${reconnectTimeout} s`;
  return {
    timeoutMs: reconnectTimeout * 1_000,
    onLost: (error) =>
      print(`${getRequestErrorMessage(error).replace(/\.$/, '')}. Retrying for up to ${limit}.`),
    onReconnected: () => print('Reconnected.'),
  };
}

export type Clock = Pick<CliContext, 'elapsed' | 'wait' | 'signal'>;

/** Returns the delay before a retry, in milliseconds: 1 s, 2 s, 4 s … at most 15 s. */
export function retryDelay(tries: number): number {
  return Math.min(1_000 * 2 ** (tries - 1), 15_000);
}

/** Waits while a service is unreachable that was reachable before. */
export function createReconnectTracker(
  { timeoutMs, onLost, onReconnected }: ReconnectPolicy,
  { elapsed, wait, signal }: Clock,
) {
  let hadContact = false;
  let lostAt: number | null = null;
  let tries = 0;

  const tracker = {
    /** Records a response of the service. */
    onContact(): void {
      if (lostAt !== null) onReconnected();
      hadContact = true;
      lostAt = null;
      tries = 0;
    },

    /**
     * Waits until the next try.
     *
     * @throws the error, if it is not a lost connection, a rate limit or an overload, if the service was
     * never reachable, or after the timeout
     */
    async wait(error: unknown): Promise<void> {
      const limit = isLimited(error) ? error : null;
      if (!hadContact || !(limit || getExitReason(error) === 'unreachable')) throw error;
      if (lostAt === null) {
        if (timeoutMs > 0) onLost(error);
        lostAt = elapsed();
      }
      const left = lostAt + timeoutMs - elapsed();
      if (left <= 0) throw error;
      tries += 1;
      const requested = ((limit && getRetryAfter(limit)) ?? 0) * 1_000;
      await wait(Math.min(Math.max(retryDelay(tries), requested), left), signal);
    },

    /**
     * Retries a request until it succeeds or the timeout is over. Once the signal has aborted, the request
     * must throw.
     */
    async retry<Result>(request: () => Promise<Result>): Promise<Result> {
      for (;;) {
        try {
          const result = await request();
          tracker.onContact();
          return result;
        } catch (error) {
          await tracker.wait(error);
        }
      }
    },
  };
  return tracker;
}

export interface FollowPosition extends ReconnectPolicy {
  /** Where to start, and how long each request waits for new events. */
  from: FollowEventsOptions;
  /** Called for each page before it is returned. */
  onContact?: () => void;
}

/**
 * Follows the account's events page by page, and continues after the service was unreachable, for example
 * during a restart. It ends when the signal aborts.
 *
 * @throws what following throws; for an unreachable service only after the timeout
 */
export async function* followResiliently(
  { events }: Pick<Tradepost, 'events'>,
  { from, onContact, ...policy }: FollowPosition,
  clock: Clock,
): AsyncIterable<EventPage> {
  const { signal } = clock;
  const tracker = createReconnectTracker(policy, clock);
  let position = from;
  for (;;) {
    try {
      for await (const page of events.follow(position, { signal }).pages()) {
        tracker.onContact();
        onContact?.();
        yield page;
        const { since: _, ...others } = position;
        position = { ...others, after: page.nextCursor };
      }
    } catch (error) {
      if (signal.aborted) return;
      await tracker.wait(error);
    }
    if (signal.aborted) return;
  }
}

/**
 * Finds the latest position in the account's events. It goes by the clock of the service: with a local
 * clock that is ahead, events would be missed.
 */
export async function getLatestCursor(
  { events }: Pick<Tradepost, 'events'>,
  { now, signal }: Pick<CliContext, 'now' | 'signal'>,
): Promise<{ since: string } | { after: string }> {
  const { headers } = await events.list({ limit: 1 }, { signal }).withResponse();
  const date = Date.parse(headers.get('date') ?? '');
  const since = new Date(Number.isNaN(date) ? now() : date).toISOString();
  let latest: { since: string } | { after: string } = { since };
  for await (const { nextCursor } of events.list({ since, limit: 100 }, { signal }).pages()) {
    latest = { after: nextCursor };
  }
  return latest;
}
