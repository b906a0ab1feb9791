import { isTradepostError, type RequestOptions } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { formatDuration } from '../output/text';
import { createOutageGate, isAway, isTemporary } from './outage';
import { createOutagePolicy } from './outage-report';

/** The limits of a request, as the SDK takes them. */
export type RequestLimits = Pick<RequestOptions, 'timeout' | 'maxRetries'>;

/** The connection of a command that follows a service for hours. */
export interface Connection {
  /**
   * Sends a request, and again after each outage once the service was reachable. Requests are sent one
   * after the other.
   *
   * @param request gets the limits with which a loss is noticed soon. After an interruption it must throw.
   * @param waitSeconds how long the service may wait before it responds; the SDK adds it to the limits.
   * @default 0
   * @throws the error of the request, if waiting does not help, if the service was never reachable, or
   * after the timeout
   */
  send<Result>(
    request: (limits: RequestLimits) => Promise<Result>,
    waitSeconds?: number,
  ): Promise<Result>;
  /** When the last response arrived, on the monotonic clock; null without contact. */
  lastContact(): number | null;
  /**
   * Describes what is wrong now: `no response for 12 s`, or a countdown to the next attempt. Null if the
   * service responds in time.
   */
  describeProblem(): string | null;
  /** Sets what is called when the problem changes. */
  onChange(listener: () => void): void;
}

/**
 * How long a response of a service that was reachable may take, in milliseconds. During an outage later
 * responses may take longer: the service may be slow.
 */
const responseTimeoutMs = 5_000;
const maxResponseTimeoutMs = 15_000;

/** A response that is later than this is shown, in milliseconds. */
const silenceMs = 2_000;

/** A request that waits for a response. */
interface Pending {
  sentAt: number;
  /** When the response is expected at the latest, on the monotonic clock. */
  dueAt: number;
}

/**
 * Creates the connection of a command that follows a service. It reports outages as bulk commands do.
 *
 * @param reconnectTimeout seconds
 */
export function createConnection(reconnectTimeout: number, context: CliContext): Connection {
  const { elapsed } = context;
  let notify = () => {};
  let lastContact: number | null = null;
  let failingSince: number | null = null;
  let pending: Pending | null = null;
  let countdown: (() => string | null) | null = null;

  function hold(text: (() => string | null) | null): void {
    countdown = text;
    notify();
  }

  const gate = createOutageGate(
    {
      ...createOutagePolicy({ reconnectTimeout, hadContact: true }, { hold }, context),
      isRetryable: (error) => isAway(error) || isTemporary(error),
      // Nothing else is in flight, so that it was not one slow request of many.
      isSure: (error) => isTradepostError(error) && error.code === 'timeout',
    },
    context,
  );

  function limits(): RequestLimits {
    // As for any other command.
    if (lastContact === null) return {};
    const failingMs = failingSince === null ? 0 : elapsed() - failingSince;
    const timeout = Math.min(Math.max(responseTimeoutMs, failingMs), maxResponseTimeoutMs);
    return { timeout: Math.ceil(timeout), maxRetries: 0 };
  }

  async function attempt<Result>(
    request: (limits: RequestLimits) => Promise<Result>,
    waitSeconds: number,
  ): Promise<Result> {
    const sentAt = elapsed();
    pending = { sentAt, dueAt: sentAt + waitSeconds * 1_000 + silenceMs };
    try {
      const result = await request(limits());
      lastContact = elapsed();
      failingSince = null;
      return result;
    } catch (error) {
      failingSince ??= elapsed();
      throw error;
    } finally {
      pending = null;
      notify();
    }
  }

  return {
    async send(request, waitSeconds = 0) {
      if (lastContact === null) return await attempt(request, waitSeconds);
      const sent = await gate.send(async () => {
        try {
          return { result: await attempt(request, waitSeconds), error: null };
        } catch (error) {
          return { error };
        }
      });
      if ('result' in sent) return sent.result;
      throw sent.error;
    },
    lastContact: () => lastContact,
    describeProblem() {
      if (countdown !== null) return countdown();
      const now = elapsed();
      if (pending === null || now < pending.dueAt) return null;
      return `no response for ${formatDuration((now - pending.sentAt) / 1_000)}`;
    },
    onChange(listener) {
      notify = listener;
    },
  };
}
