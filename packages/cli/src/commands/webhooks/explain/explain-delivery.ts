import type { Delivery, DeliveryDetails, WebhookDetails } from '@tradepost/sdk';
import { capitalize, commandHint, type Hint } from '../../../errors/cli-error';
import { formatCount } from '../../../output/text';
import { formatFailure, getAttemptFailure } from '../attempt-failure';
import { describeEndpoint, getEndpointFailure, isUnhealthy } from '../endpoint-view';

/** The status of a delivery, in a word for programs. */
export type Verdict =
  /** A receiver accepted it. */
  | 'delivered'
  /** It is not retried any more. */
  | 'failed'
  /** It waits for its first attempt. */
  | 'waiting'
  /** An attempt failed; it is retried. */
  | 'retrying'
  /** Its endpoint is in backoff. */
  | 'backoff'
  /** Its webhook is paused. */
  | 'paused'
  /** An attempt is in flight. */
  | 'in_progress'
  /** This version does not know its state. */
  | 'unknown';

export interface Diagnosis {
  verdict: Verdict;
  reason: string;
  hints: readonly Hint[];
}

/**
 * Explains a delivery's status.
 *
 * @param webhook null if unknown
 * @param now milliseconds since 1970
 */
export function explainDelivery(
  delivery: DeliveryDetails,
  webhook: WebhookDetails | null,
  now: number,
): Diagnosis {
  const { id, state, webhookId, event } = delivery;
  switch (state) {
    case 'delivered':
      return { verdict: 'delivered', reason: deliveredReason(delivery), hints: [] };
    case 'failed': {
      const again: Hint = delivery.test
        ? commandHint(
            'Then send another test event:',
            'webhooks test',
            webhookId,
            '--event',
            event,
            '--wait',
          )
        : commandHint('Then send it again:', 'webhooks replay', id);
      const hints =
        delivery.attemptCount === 0
          ? ['Check whether the webhook was paused for long, or the service was down.']
          : (getAttemptFailure(delivery)?.hints ?? []);
      return { verdict: 'failed', reason: failedReason(delivery), hints: [...hints, again] };
    }
    case 'pending':
      return explainPending(delivery, webhook, now);
    default:
      return { verdict: 'unknown', reason: `Its state is ${state}.`, hints: [] };
  }
}

function explainPending(
  delivery: DeliveryDetails,
  webhook: WebhookDetails | null,
  now: number,
): Diagnosis {
  const { id, webhookId, nextAttemptAt, deadlineAt, attemptCount } = delivery;
  const own = getAttemptFailure(delivery);
  // Before its first attempt, those of others say why it has to wait.
  const last = own ?? (webhook && isUnhealthy(webhook, now) ? getEndpointFailure(webhook) : null);
  const { hints = [] } = last ?? {};
  const whose = own === null ? 'The last attempt of another delivery' : 'The last attempt';
  const lastFailure = last === null ? '' : ` ${whose} failed: ${last.reason}.`;
  const expiry = `It expires at ${deadlineAt}.`;
  if (webhook?.status === 'paused') {
    return {
      verdict: 'paused',
      reason: `The webhook is paused.${lastFailure} ${expiry}`,
      hints: [commandHint('Resume it:', 'webhooks resume', webhookId)],
    };
  }
  if (nextAttemptAt === null) {
    return {
      verdict: 'in_progress',
      reason: `An attempt is in flight.${lastFailure}`,
      hints: ['Check again in a few seconds.'],
    };
  }
  const fixed = 'Once the receiver is fixed,';
  const retryNow: Hint = commandHint(`${fixed} retry at once:`, 'webhooks replay', id);
  const backoffUntil = webhook?.backoffUntil ?? null;
  if (webhook !== null && backoffUntil !== null && Date.parse(backoffUntil) > now) {
    const all = commandHint(`${fixed} send all that is pending:`, 'webhooks retry', webhookId);
    return {
      verdict: 'backoff',
      reason: `${capitalize(describeEndpoint(webhook, now))}.${lastFailure} ${expiry}`,
      hints: [...hints, all],
    };
  }
  if (attemptCount === 0 || last === null) {
    return {
      verdict: 'waiting',
      reason: `The first attempt is due at ${nextAttemptAt}.${lastFailure} ${expiry}`,
      hints,
    };
  }
  return {
    verdict: 'retrying',
    reason: `The last of ${formatCount(attemptCount, 'attempt')} failed: ${last.reason}. The next one is at ${nextAttemptAt}. ${expiry}`,
    hints: [...hints, retryNow],
  };
}

function deliveredReason({ attemptCount, lastStatus, finishedAt }: Delivery): string {
  const when = finishedAt === null ? '' : ` at ${finishedAt}`;
  return `The receiver returned ${lastStatus ?? 'a 2xx'}${when}, on attempt ${attemptCount}.`;
}

function failedReason(delivery: DeliveryDetails): string {
  const { test, attemptCount, deadlineAt } = delivery;
  const reason = formatFailure(delivery);
  if (attemptCount === 0) return `It failed: ${reason} (${deadlineAt}).`;
  if (test) return `Test events are not retried, and the attempt failed: ${reason}.`;
  return `It failed after ${formatCount(attemptCount, 'attempt')}. The last one: ${reason}.`;
}
