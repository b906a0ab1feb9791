import type { ResponseHeaders } from '../errors';
import { retryAfterSeconds } from './retry';
import type { Runtime } from './runtime';

/** How many requests may be in flight while nothing is known about the quota. */
const unknownQuota = 32;
/** How many may be in flight after a wait, until responses have come; each allows one more. */
const firstAfterWait = 4;
/** Other processes with the same key wait for the same time, so each adds up to this. */
const maxJitterMs = 500;

/** A request that waits for its turn. */
export interface Turn {
  /** Whether the call was sent before: then it is before those that were not, and after other retries. */
  isRetry: boolean;
  /** Whether the service may hold the request back on purpose, as `waitSeconds` asks for. */
  polls: boolean;
  /** When the call's deadline is, on the monotonic clock. */
  deadlineAt: number;
  /** Waits until the quota is renewed. */
  wait: Runtime['wait'];
  /** Called with the milliseconds that the first request of the queue waits at most. */
  onWait(milliseconds: number): void;
}

interface Waiter extends Turn {
  /** Ends the turn: entered, or the milliseconds after which the quota is renewed, after the deadline. */
  settle(lateMs?: number): void;
  reject(error: unknown): void;
  timer?: AbortController;
}

/**
 * Lets the requests of one API key through, so that the service rejects few of them. What one response says holds for
 * all: no more requests are in flight than are left of the quota, and when it is used up, all wait until it is renewed, in
 * the order in which they came.
 */
export interface Pacer {
  /** Returns whether a request may be sent now: then it counts as in flight until `leave`. */
  enter(polls: boolean): boolean;
  /**
   * Waits until a request may be sent. Resolves to undefined when it may; to milliseconds, and at once, when the quota is
   * renewed so much later that the deadline has passed.
   *
   * @param stop gives the turn up when it aborts
   */
  queue(turn: Turn, stop: AbortSignal): Promise<number | undefined>;
  /**
   * Ends a request.
   *
   * @param sentAt when it was sent, on the monotonic clock
   * @param response undefined when there was none
   */
  leave(
    polls: boolean,
    sentAt: number,
    response: { status: number; headers: ResponseHeaders } | undefined,
  ): void;
}

/** Creates the pacer of one API key. It keeps no timer while nothing waits. */
export function createPacer({
  elapsed,
  now,
  random,
}: Pick<Runtime, 'elapsed' | 'now' | 'random'>): Pacer {
  let left = unknownQuota;
  /** When the quota is renewed; infinite while it is not known. */
  let renewsAt = Number.POSITIVE_INFINITY;
  /** When the request was sent whose response said so. */
  let taughtAt = 0;
  /** What is assumed to be left after that. Other clients may have the same key. */
  let renewed = unknownQuota;
  let ramp = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  const waiting: Waiter[] = [];

  const isKnown = () => renewsAt < Number.POSITIVE_INFINITY;

  function renew(): void {
    left = renewed;
    renewsAt = Number.POSITIVE_INFINITY;
  }

  function tryEnter(polls: boolean): boolean {
    if (inFlight >= Math.min(left, ramp)) return false;
    if (!polls) inFlight += 1;
    // It may be in flight for a minute. The service has counted it by then.
    else if (isKnown()) left -= 1;
    return true;
  }

  function end(waiter: Waiter): void {
    const index = waiting.indexOf(waiter);
    if (index >= 0) waiting.splice(index, 1);
    waiter.timer?.abort();
  }

  /** Lets those enter that may. */
  function release(): void {
    for (let first = waiting[0]; first && tryEnter(first.polls); first = waiting[0]) {
      end(first);
      first.settle();
    }
    if (left <= 0 && isKnown()) {
      for (const waiter of waiting.filter(({ deadlineAt }) => deadlineAt <= renewsAt)) {
        end(waiter);
        waiter.settle(renewsAt - elapsed());
      }
    }
    const [first] = waiting;
    if (first && !first.timer && inFlight >= left && renewsAt < first.deadlineAt) {
      const stop = new AbortController();
      first.timer = stop;
      awaitRenewal(first, stop.signal).catch((error) => {
        // A wait of the caller may reject when it is aborted: then the turn has ended.
        if (stop.signal.aborted) return;
        end(first);
        first.reject(error);
        release();
      });
    }
  }

  async function awaitRenewal(first: Waiter, signal: AbortSignal): Promise<void> {
    for (let until = 0; isKnown() && until !== renewsAt; ) {
      until = renewsAt;
      // It ends at its deadline.
      if (until >= first.deadlineAt) return;
      const jitter = random() * Math.min(maxJitterMs, first.deadlineAt - until);
      const milliseconds = Math.max(0, until - elapsed()) + jitter;
      first.onWait(milliseconds);
      await first.wait(milliseconds, signal);
      if (signal.aborted) return;
    }
    delete first.timer;
    // Not by the clock: a test may replace the wait.
    renew();
    ramp = firstAfterWait;
    release();
  }

  function learn(
    { status, headers }: { status: number; headers: ResponseHeaders },
    sentAt: number,
  ) {
    const time = elapsed();
    const limit = readLimit(headers);
    if (limit) {
      const { remaining, seconds, quota } = limit;
      renewed = Math.min(unknownQuota, quota);
      // The service has rounded the seconds up, at some time after the request was sent. Responses may come in another order.
      const isLater = !isKnown() || sentAt + (seconds - 1) * 1_000 >= renewsAt;
      // Of several limits, the one that is used up says when there are more; of one limit, the times differ by latency and rounding.
      const renewal = time + seconds * 1_000;
      const isOther = remaining <= 0 && left > 0 && renewal < renewsAt - 5_000;
      left = isLater ? remaining : Math.min(left, remaining);
      if (isLater || (isOther && sentAt >= taughtAt)) {
        renewsAt = renewal;
        taughtAt = sentAt;
      }
    } else if (status < 300 && !isKnown()) {
      left = Number.POSITIVE_INFINITY;
    }
    if (status !== 429) {
      ramp += 1;
    } else if (!limit?.remaining) {
      ramp = firstAfterWait;
      const retryAfter = retryAfterSeconds(headers, now());
      if (retryAfter) {
        const known = left <= 0 && isKnown() ? renewsAt : 0;
        left = 0;
        renewsAt = Math.max(time + retryAfter * 1_000, known);
      }
    }
  }

  return {
    enter(polls) {
      if (waiting.length > 0) return false;
      if (elapsed() >= renewsAt) renew();
      return tryEnter(polls);
    },
    queue: (turn, stop) =>
      new Promise((resolve, reject) => {
        let hasEntered = false;
        const waiter: Waiter = {
          ...turn,
          settle(lateMs) {
            hasEntered = lateMs === undefined;
            resolve(lateMs);
          },
          reject,
        };
        stop.addEventListener('abort', () => {
          if (hasEntered) {
            if (!turn.polls) inFlight -= 1;
          } else if (waiting.includes(waiter)) end(waiter);
          release();
        });
        const firstCall = turn.isRetry ? waiting.findIndex(({ isRetry }) => !isRetry) : -1;
        waiting.splice(firstCall < 0 ? waiting.length : firstCall, 0, waiter);
        release();
      }),
    leave(polls, sentAt, response) {
      if (!polls) inFlight -= 1;
      if (response) learn(response, sentAt);
      release();
    },
  };
}

/**
 * Reads how many requests are left, the seconds until there are more, and how many there are then: of several limits, the
 * one with the fewest left. Undefined without `RateLimit`. Source: IETF draft "RateLimit header fields for HTTP", version 8.
 */
function readLimit(headers: ResponseHeaders) {
  const limits = headers.get('ratelimit');
  if (!limits) return undefined;
  const policies = headers.get('ratelimit-policy')?.split(',') ?? [];
  const quota = Math.min(...policies.map((policy) => read(policy, named.q) || unknownQuota));
  return limits
    .split(',')
    .map((limit) => ({ remaining: read(limit, named.r), seconds: read(limit, named.t), quota }))
    .filter(({ remaining, seconds }) => remaining + seconds >= 0)
    .sort((one, other) => one.remaining - other.remaining || other.seconds - one.seconds)[0];
}

/** The parameters of a limit. */
const named = { q: /;\s*q=(\d+)/, r: /;\s*r=(\d+)/, t: /;\s*t=(\d+)/ };

/** Reads a parameter; not a number if it is missing. */
function read(text: string, parameter: RegExp): number {
  return Number(parameter.exec(text)?.[1] ?? Number.NaN);
}
