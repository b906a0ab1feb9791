import { isTradepostError } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { getExitReason, getRetryAfter, isLimited, mayHaveBeenApplied } from '../errors/exit-codes';

/** Whether an error says that the service is unreachable, down or has too many requests. */
export function isAway(error: unknown): boolean {
  return isLimited(error) || getExitReason(error) === 'unreachable';
}

/** Statuses of a failure that another attempt may not get again. */
const temporaryStatuses: readonly (number | null)[] = [408, 425, 500];

/** Whether another attempt may succeed, although the service is not away. */
export function isTemporary(error: unknown): boolean {
  return isTradepostError(error) && temporaryStatuses.includes(error.status) && !isAway(error);
}

/** Whether Ctrl-C ended the wait for another attempt after an error, so that nothing was done. */
export function wasNotAttempted(error: unknown, { signal }: Pick<CliContext, 'signal'>): boolean {
  return signal.aborted && isAway(error) && !mayHaveBeenApplied(error);
}

export type Clock = Pick<CliContext, 'elapsed' | 'wait' | 'signal'>;

/** Returns the delay before a retry, in milliseconds: 1 s, 2 s, 4 s … at most 15 s. */
function retryDelay(tries: number): number {
  return Math.min(1_000 * 2 ** (tries - 1), 15_000);
}

/** Until the first response a service is given this long, in milliseconds: its URL may be wrong. */
const firstContactTimeoutMs = 5_000;

/** An item that fails so often while others succeed is given up alone. */
const maxFailuresAlone = 4;

/** A time without service, from the first failed request to the next response. */
interface Outage {
  /** On the monotonic clock, in milliseconds. */
  startedAt: number;
  tries: number;
  /** Whether the service only had too many requests. */
  isLimit: boolean;
  /** Resolves when it is over or was given up. */
  over: Promise<void>;
  end: () => void;
}

/** Whether an outage is reported: a single failure may be that of one request. */
function isReported({ tries, isLimit }: Outage): boolean {
  return tries > 1 && !isLimit;
}

export interface WaitReport {
  error: unknown;
  /** When the next attempt is made, on the monotonic clock, in milliseconds. */
  retryAt: number;
  /** When it gives up, on the monotonic clock, in milliseconds. */
  givesUpAt: number;
}

export interface OutagePolicy {
  timeoutMs: number;
  onLost: (error: unknown) => void;
  onReconnected: () => void;
  /** Called before each wait; with null when the waiting is over. */
  onWait: (wait: WaitReport | null) => void;
  /** Whether the service was reachable before. */
  hadContact: boolean;
  /** Which errors are waited for. @default those that say that the service is away */
  isRetryable?: (error: unknown) => boolean;
}

/**
 * Holds back the requests of a bulk command while the service is away. One request is repeated until it
 * gets a response; the others wait for that.
 */
export function createOutageGate(
  { timeoutMs, onLost, onReconnected, onWait, isRetryable = isAway, ...policy }: OutagePolicy,
  { elapsed, wait, signal }: Clock,
) {
  let { hadContact } = policy;
  let contacts = 0;
  let outage: Outage | null = null;
  let isLost = false;
  signal.addEventListener('abort', () => outage?.end(), { once: true });

  function onContact(): void {
    hadContact = true;
    contacts += 1;
    if (outage === null) return;
    if (isReported(outage)) onReconnected();
    outage.end();
    outage = null;
    onWait(null);
  }

  function startOutage(): Outage {
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    outage = { startedAt: elapsed(), tries: 0, isLimit: true, over, end };
    return outage;
  }

  /** Lets the items that wait try themselves. */
  function handOver(current: Outage): void {
    outage = null;
    onWait(null);
    current.end();
  }

  /** Waits for the next attempt. Returns false if there is none. */
  async function waitForRetry(current: Outage, error: unknown): Promise<boolean> {
    if (!isLimited(error)) current.isLimit = false;
    // A limit and a problem are responses of the service too.
    const response = isTradepostError(error) ? error : null;
    if (isLimited(error) || response?.problem) hadContact = true;
    const limitMs = hadContact ? timeoutMs : Math.min(timeoutMs, firstContactTimeoutMs);
    const givesUpAt = current.startedAt + limitMs;
    const wasReported = isReported(current);
    current.tries += 1;
    if (isReported(current) && !wasReported) onLost(error);
    const requestedMs = ((response && getRetryAfter(response)) ?? 0) * 1_000;
    const leftMs = givesUpAt - elapsed();
    if (leftMs <= 0 || requestedMs > leftMs) {
      isLost = true;
      onWait(null);
      current.end();
      return false;
    }
    const delayMs = Math.min(Math.max(retryDelay(current.tries), requestedMs), leftMs);
    onWait({ error, retryAt: elapsed() + delayMs, givesUpAt });
    await wait(delayMs, signal);
    return !signal.aborted;
  }

  return {
    /** Resolves when there is no outage, or when the run ends. */
    async untilOver(): Promise<void> {
      while (outage !== null && !isLost && !signal.aborted) await outage.over;
    },

    /** Whether it gave up waiting for the service. */
    isLost: () => isLost,

    /** Makes an attempt, and again after each outage. Returns the last result. */
    async send<Result extends { error: unknown }>(
      attempt: () => Promise<Result>,
      canRepeat: (error: unknown) => boolean = () => true,
    ): Promise<Result> {
      let probed: Outage | null = null;
      let failuresAlone = 0;
      for (;;) {
        const contactsBefore = contacts;
        const result = await attempt();
        const { error } = result;
        if (signal.aborted) return result;
        if (!isRetryable(error)) {
          onContact();
          return result;
        }
        if (!canRepeat(error) || isLost) {
          // Another item has to probe: nothing else would end this outage.
          if (probed !== null && outage === probed) handOver(probed);
          return result;
        }
        if (contacts > contactsBefore) failuresAlone += 1;
        if (failuresAlone >= maxFailuresAlone) return result;
        if (outage === null || outage === probed) {
          probed = outage ?? startOutage();
          if (!(await waitForRetry(probed, error))) return result;
        } else {
          await outage.over;
          if (isLost || signal.aborted) return result;
        }
      }
    },
  };
}
