import { isTradepostError } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { isLimited } from '../errors/exit-codes';
import { printNotice } from '../output/print';
import type { Progress } from '../output/progress';
import { formatDuration } from '../output/text';
import { getRequestErrorMessage } from '../report/error-report';
import { claimLimitNotice, describeRetry } from './create-client';
import type { OutagePolicy, WaitReport } from './outage';

/** A longer wait is reported every time, in milliseconds. */
const longWaitMs = 15_000;

/**
 * Creates a policy that reports to a person: a countdown on a terminal, a notice per wait elsewhere.
 *
 * @param reconnectTimeout seconds
 */
export function createOutagePolicy(
  { reconnectTimeout, hadContact = false }: { reconnectTimeout: number; hadContact?: boolean },
  progress: Pick<Progress, 'hold'>,
  context: CliContext,
): OutagePolicy {
  const { elapsed, stderr } = context;
  const print = (text: string) => printNotice(context, text);
  /** When the last reported wait ends, by its reason. */
  const reported = new Map<string, number>();
  const limit =
    reconnectTimeout >= 120 && reconnectTimeout % 60 === 0
      ? `${reconnectTimeout / 60} minutes`
      : `${reconnectTimeout} s`;

  function reportLimit({ error, retryAt }: WaitReport): void {
    if (stderr.isTTY === true || !isLimited(error)) return;
    const reason = describeRetry(error);
    const waitMs = retryAt - elapsed();
    const reportedUntil = reported.get(reason);
    // A response to an earlier request may have ended a wait that was reported.
    if (reportedUntil !== undefined && (waitMs < longWaitMs || elapsed() < reportedUntil)) return;
    reported.set(reason, retryAt);
    if (!claimLimitNotice(context, retryAt)) return;
    const when = waitMs < longWaitMs ? '' : ` in ${Math.ceil(waitMs / 1_000)} s`;
    print(`${reason}; retrying${when}.`);
  }

  return {
    timeoutMs: reconnectTimeout * 1_000,
    hadContact,
    onLost(error) {
      if (reconnectTimeout === 0) return;
      print(`${getRequestErrorMessage(error).replace(/\.$/, '')}. Retrying for up to ${limit}.`);
    },
    onReconnected: () => print('Reconnected.'),
    onWait(wait) {
      progress.hold(wait === null ? null : () => formatCountdown(wait, elapsed()));
      if (wait !== null) reportLimit(wait);
    },
  };
}

/** Another attempt that gets no response for longer than this is shown with its time, in milliseconds. */
const silenceMs = 2_000;

/**
 * Formats the line that is redrawn each second: `Connection failed; retrying in 4 s (gives up in 3 min)`, and
 * during the attempt `Connection failed; trying again, no response for 3 s (gives up in 3 min)`.
 */
function formatCountdown({ error, retryAt, givesUpAt }: WaitReport, now: number): string {
  const leftMs = retryAt - now;
  const reason = isTradepostError(error) ? describeRetry(error) : 'Connection failed';
  const silence = -leftMs < silenceMs ? '' : `, no response for ${formatDuration(-leftMs / 1_000)}`;
  const when =
    leftMs > 0 ? `retrying in ${formatDuration(leftMs / 1_000)}` : `trying again${silence}`;
  const end = formatDuration(Math.max(0, givesUpAt - now) / 1_000);
  return `${reason}; ${when} (gives up in ${end})`;
}
