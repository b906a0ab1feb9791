import type { EventPage, StreamOutage, Tradepost } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { Stopped } from '../errors/cli-error';
import { getExitReason, isLimited } from '../errors/exit-codes';
import { formatDuration } from '../output/text';
import { isAway } from './outage';
import { createOutagePolicy } from './outage-report';

/** How long a request waits for new events, in seconds: a loss of the connection is noticed soon after. */
const waitSeconds = 10;

/** How long a response may take beyond that, in milliseconds. */
const timeout = 10_000;

/** A response that is later than this is shown, in milliseconds. */
const silenceMs = 2_000;

/** Where to start. */
type Position = { after: string } | { since: string } | { from: 'now' };

export type Connection = ReturnType<typeof createConnection>;

/**
 * Creates the connection of a command that follows events for hours. It reports outages as bulk commands do.
 *
 * @param reconnectTimeout seconds
 */
export function createConnection(
  { events }: Pick<Tradepost, 'events'>,
  reconnectTimeout: number,
  context: CliContext,
) {
  const { elapsed, signal } = context;
  let lastContact: number | null = null;
  let askedAt: number | null = null;
  let countdown: (() => string | null) | null = null;

  function createReporter(onChange: () => void): (outage: StreamOutage) => void {
    let isReported = false;
    const hold = (text: (() => string | null) | null) => {
      countdown = text;
      onChange();
    };
    const policy = createOutagePolicy({ reconnectTimeout }, { hold }, context);
    return (outage) => {
      if (outage.state === 'over') {
        if (isReported) policy.onReconnected();
        isReported = false;
        // The response to an attempt during the outage is not late.
        askedAt = elapsed();
        return policy.onWait(null);
      }
      const { error, failures, delayMs, remainingMs } = outage;
      // Servers and proxies close connections: one that breaks is no outage yet.
      const isSure = (failures > 1 || error.code === 'timeout') && !isLimited(error);
      if (isSure && !isReported) policy.onLost(error);
      isReported ||= isSure;
      const [retryAt, givesUpAt] = [elapsed() + delayMs, elapsed() + remainingMs];
      policy.onWait({ error, retryAt, givesUpAt });
    };
  }

  return {
    /**
     * Follows the account's events page by page. It ends when the signal aborts.
     *
     * @param onChange called when the problem changes
     * @throws what following throws; for a service that was reachable only after the timeout
     */
    async *pages(from: Position, onChange: () => void): AsyncGenerator<EventPage, void, undefined> {
      const onOutage = createReporter(onChange);
      const outages = { reconnectTimeout: reconnectTimeout * 1_000, onOutage };
      const stream = events.follow({ ...from, waitSeconds, ...outages }, { signal, timeout });
      try {
        askedAt = elapsed();
        for await (const page of stream.pages()) {
          lastContact = elapsed();
          askedAt = null;
          yield page;
          askedAt = elapsed();
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    /** When the last response arrived, on the monotonic clock; null without contact. */
    lastContact: () => lastContact,
    /**
     * Describes what is wrong now: `no response for 12 s`, or a countdown to the next attempt. Null if the
     * service responds in time.
     */
    describeProblem(): string | null {
      if (countdown !== null) return countdown();
      const silence = askedAt === null ? 0 : elapsed() - askedAt;
      const isLate = silence >= waitSeconds * 1_000 + silenceMs;
      return isLate ? `no response for ${formatDuration(silence / 1_000)}` : null;
    },
  };
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
