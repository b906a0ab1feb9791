import type { Delivery, DeliveryDetails, WebhookDetails } from '@tradepost/sdk';
import { attemptFailure, failureText } from './attempt-failure';

/** Where a delivery stands, in a word that programs decide on. */
export type Verdict =
  /** A receiver took it. */
  | 'delivered'
  /** It is not tried any more. */
  | 'failed'
  /** It waits for its first attempt. */
  | 'waiting'
  /** It failed, and is tried again. */
  | 'retrying'
  /** Its endpoint gets nothing for a while, since it keeps failing or asked for time. */
  | 'held'
  /** Its webhook is paused. */
  | 'paused'
  /** An attempt is under way. */
  | 'in_progress'
  /** It is in a state that this version does not know. */
  | 'unknown';

/** Where a delivery stands, why, and what to do. */
export interface Diagnosis {
  verdict: Verdict;
  /** Why it stands there: a sentence. */
  reason: string;
  /** What to do, a sentence each; empty when there is nothing. */
  advice: string[];
}

/**
 * Tells where a delivery stands, why, and what to do.
 *
 * @param webhook where it goes; null when that cannot be found out
 * @param now milliseconds since 1970
 */
export function explainDelivery(
  delivery: DeliveryDetails,
  webhook: WebhookDetails | null,
  now: number,
): Diagnosis {
  const { id, state } = delivery;
  switch (state) {
    case 'delivered':
      return { verdict: 'delivered', reason: deliveredReason(delivery), advice: [] };
    case 'failed':
      return {
        verdict: 'failed',
        reason: failedReason(delivery),
        advice: [
          ...adviceFor(delivery),
          delivery.test
            ? `Then send another sample: \`tradepost webhooks test ${delivery.webhookId} --event ${delivery.event} --wait\`.`
            : `Then send it again: \`tradepost webhooks replay ${id}\`.`,
        ],
      };
    case 'pending':
      return explainPending(delivery, webhook, now);
    default:
      return { verdict: 'unknown', reason: `It is in the state ${state}.`, advice: [] };
  }
}

function explainPending(
  delivery: DeliveryDetails,
  webhook: WebhookDetails | null,
  now: number,
): Diagnosis {
  const { id, webhookId, nextAttemptAt, deadlineAt, attempts } = delivery;
  const last = attemptFailure(delivery);
  const before = last === null ? '' : ` The last attempt failed: ${last.reason}.`;
  const until = `It has time until ${deadlineAt}.`;
  if (webhook?.status === 'paused') {
    return {
      verdict: 'paused',
      reason: `The webhook is paused.${before} ${until}`,
      advice: [`Let it go on: \`tradepost webhooks resume ${webhookId}\`.`],
    };
  }
  if (nextAttemptAt === null) {
    return {
      verdict: 'in_progress',
      reason: `An attempt is under way.${before}`,
      advice: ['Ask again in a moment.'],
    };
  }
  const heldUntil = webhook?.heldUntil ?? null;
  const retryNow = `When the receiver is mended, do not wait: \`tradepost webhooks replay ${id}\`.`;
  if (heldUntil !== null && Date.parse(heldUntil) > now) {
    return {
      verdict: 'held',
      reason: `The endpoint keeps failing or asked for time: it gets nothing before ${heldUntil}.${before} ${until}`,
      advice: [...adviceAbout(delivery), retryNow],
    };
  }
  if (attempts === 0 || last === null) {
    return {
      verdict: 'waiting',
      reason: `It is due at ${nextAttemptAt}. ${until}`,
      advice: [],
    };
  }
  return {
    verdict: 'retrying',
    reason: `The last of ${countOf(attempts)} failed: ${last.reason}. It is tried again at ${nextAttemptAt}. ${until}`,
    advice: [...adviceAbout(delivery), retryNow],
  };
}

function deliveredReason({ attempts, lastStatus, finishedAt }: Delivery): string {
  const when = finishedAt === null ? '' : ` at ${finishedAt}`;
  return `The receiver answered ${lastStatus ?? 'with a 2xx'}${when}, at attempt ${attempts}.`;
}

function failedReason(delivery: DeliveryDetails): string {
  const { test, attempts, deadlineAt } = delivery;
  const why = failureText(delivery);
  if (attempts === 0) return `It failed: ${why} (${deadlineAt}).`;
  if (test) return `A sample is tried once, and that failed: ${why}.`;
  return `It is not tried any more after ${countOf(attempts)}. The last one failed: ${why}.`;
}

function adviceFor(delivery: DeliveryDetails): readonly string[] {
  if (delivery.attempts === 0) {
    return ['Was the webhook paused for long, or the service down? Look at both first.'];
  }
  return adviceAbout(delivery);
}

/** What to do about the last attempt, with the webhook that it is about. */
function adviceAbout(delivery: DeliveryDetails): string[] {
  const advice = attemptFailure(delivery)?.advice ?? [];
  return advice.map((sentence) => sentence.replace('update ID', `update ${delivery.webhookId}`));
}

function countOf(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}
