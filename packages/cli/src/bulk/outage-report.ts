import { isTradepostError } from '@tradepost/sdk';
import { describeRetry } from '../client/create-client';
import { createReconnectPolicy } from '../client/follow';
import type { CliContext } from '../context';
import { isLimited } from '../errors/exit-codes';
import { printNotice } from '../output/print';
import type { Progress } from '../output/progress';
import { formatDuration } from '../output/text';
import type { OutagePolicy, WaitReport } from './outage';

/** A longer wait is reported every time, in milliseconds. */
const longWaitMs = 15_000;

/** Creates the policy of a bulk command: a countdown on a terminal, a notice per wait elsewhere. */
export function createOutagePolicy(
  { reconnectTimeout, hadContact = false }: { reconnectTimeout: number; hadContact?: boolean },
  progress: Progress,
  context: CliContext,
): OutagePolicy {
  const { elapsed, stderr } = context;
  const print = (text: string) => printNotice(context, text);
  /** When the last reported wait ends, by its reason. */
  const reported = new Map<string, number>();

  function reportLimit({ error, retryAt }: WaitReport): void {
    if (stderr.isTTY === true || !isLimited(error)) return;
    const reason = describeRetry(error);
    const waitMs = retryAt - elapsed();
    const reportedUntil = reported.get(reason);
    // A response to an earlier request may have ended a wait that was reported.
    if (reportedUntil !== undefined && (waitMs < longWaitMs || elapsed() < reportedUntil)) return;
    reported.set(reason, retryAt);
    const when = waitMs < longWaitMs ? '' : ` in ${Math.ceil(waitMs / 1_000)} s`;
    print(`${reason}; retrying${when}.`);
  }

  return {
    ...createReconnectPolicy(reconnectTimeout, print),
    hadContact,
    onWait(wait) {
      progress.hold(wait === null ? null : () => formatCountdown(wait, elapsed()));
      if (wait !== null) reportLimit(wait);
    },
  };
}

/** Formats the line that is redrawn each second: `Connection failed; retrying in 4 s, 3 min left`. */
function formatCountdown({ error, retryAt, givesUpAt }: WaitReport, now: number): string {
  const left = Math.max(0, retryAt - now);
  const reason = isTradepostError(error) ? describeRetry(error) : 'Connection failed';
  const when = left > 0 ? `retrying in ${formatDuration(left / 1_000)}` : 'retrying now';
  const end = formatDuration(Math.max(0, givesUpAt - now) / 1_000);
  return `${reason}; ${when} (gives up in ${end})`;
}
