import type { Delivery, WebhookDetails } from '@tradepost/sdk';
import type { Action } from './action';
import { explainFailure, type FailureExplanation } from './explain-failure';
import { countAttempts, describeLimit, explainWebhook } from './explain-webhook';

/** What became of a delivery, in a word for programs. */
export type DeliveryVerdict =
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
  /** Its webhook is paused, by its account or by the service. */
  | 'paused'
  /** An attempt is in flight. */
  | 'in_progress'
  /** It has a state that this version does not know. */
  | 'unknown';

/** What became of a delivery, and what to do about it. */
export interface DeliveryExplanation {
  /** What became of it, in a word for programs. */
  verdict: DeliveryVerdict;
  /** The same in sentences, with times in ISO 8601. */
  reason: string;
  /** Why the last attempt failed. Null if it did not. */
  failure: FailureExplanation | null;
  /** Whether that attempt was one of another delivery to the webhook: this one has to wait for it. */
  isFailureOfOther: boolean;
  /** What to do, in this order. */
  actions: Action[];
}

/** What `explainDelivery` takes into account besides the delivery. */
export interface ExplainDeliveryOptions {
  /** The webhook of the delivery, if it is known: it says whether it is paused or in backoff. */
  webhook?: WebhookDetails | null | undefined;
  /** What `wasSignedWith` said about the secret that you have. */
  signed?: boolean | null | undefined;
  /** The current time. @default Date.now() */
  now?: Date | number | undefined;
}

/**
 * Explains what became of a delivery.
 *
 * @param delivery as `deliveries.get` and `deliveries.list` return it
 */
export function explainDelivery(
  delivery: Delivery,
  options: ExplainDeliveryOptions = {},
): DeliveryExplanation {
  const { webhook, now = Date.now() } = options;
  const endpoint = webhook ? explainWebhook(webhook, { now }) : null;
  const own = explainFailure(delivery);
  const isPending = delivery.state === 'pending';
  // Before its first attempt, those of others say why it has to wait.
  const failure = own ?? (isPending ? (endpoint?.failure ?? null) : null);
  const isFailureOfOther = own === null && failure !== null;
  const [verdict, reason, ...actions] = isPending
    ? explainPending(
        delivery,
        endpoint,
        failure,
        isFailureOfOther,
        describeLimit(webhook, 'it may be later'),
      )
    : explainOther(delivery, own);
  if (options.signed === false) {
    actions.unshift({
      type: 'fix',
      text: 'The last attempt was not signed with the given secret: it is of another webhook, or not current. Compare it with the one from the registration.',
    });
  }
  return { verdict, reason, failure, isFailureOfOther, actions };
}

type Explained = [verdict: DeliveryVerdict, reason: string, ...actions: Action[]];

function explainOther(delivery: Delivery, failure: FailureExplanation | null): Explained {
  const { id, state, webhookId, event, test, attemptCount, lastStatus, finishedAt } = delivery;
  if (state === 'delivered') {
    const when = finishedAt === null ? '' : ` at ${finishedAt}`;
    return [
      'delivered',
      `The receiver returned ${lastStatus ?? 'a 2xx'}${when}, on attempt ${attemptCount}.`,
    ];
  }
  if (state !== 'failed') return ['unknown', `Its state is ${state}.`];
  const why = failure?.reason ?? 'unknown reason';
  const again: Action = test
    ? { type: 'test', webhookId, event, text: 'Then send another test event.' }
    : { type: 'replay', deliveryId: id, text: 'Then send it again.' };
  if (delivery.lastError === 'queue_limit_reached') {
    return ['failed', `It failed: ${why}.`, ...(failure?.actions ?? []), again];
  }
  if (attemptCount === 0) {
    return [
      'failed',
      `It failed: it expired before the first attempt (${delivery.deadlineAt}).`,
      {
        type: 'fix',
        text: 'Check whether the webhook was paused for long, or the service was down.',
      },
      again,
    ];
  }
  const reason = test
    ? `Test events are not retried, and the attempt failed: ${why}.`
    : `It failed after ${countAttempts(attemptCount)}. The last one: ${why}.`;
  return ['failed', reason, ...(failure?.actions ?? []), again];
}

function explainPending(
  { id, webhookId, nextAttemptAt, deadlineAt, attemptCount }: Delivery,
  endpoint: ReturnType<typeof explainWebhook> | null,
  failure: FailureExplanation | null,
  isFailureOfOther: boolean,
  limit: string,
): Explained {
  const whose = isFailureOfOther ? 'The last attempt of another delivery' : 'The last attempt';
  const lastFailure = failure === null ? '' : ` ${whose} failed: ${failure.reason}.`;
  const expiry = `The delivery expires at ${deadlineAt}.`;
  const fixes = failure?.actions ?? [];
  const fixed = 'Once the receiver is fixed,';
  if (endpoint?.verdict === 'disabled') {
    return [
      'paused',
      `The service disabled the webhook, because its endpoint kept failing.${lastFailure} ${expiry}`,
      ...fixes,
      { type: 'resume', webhookId, text: `${fixed} resume the webhook.` },
    ];
  }
  if (endpoint?.verdict === 'paused') {
    return [
      'paused',
      `The webhook is paused.${lastFailure} ${expiry}`,
      { type: 'resume', webhookId, text: 'Resume the webhook.' },
    ];
  }
  if (nextAttemptAt === null) {
    return [
      'in_progress',
      `An attempt is in flight${endpoint === null ? ', or the webhook is paused' : ''}.${lastFailure}`,
      { type: 'wait', until: null, text: 'Check again in a few seconds.' },
    ];
  }
  if (endpoint?.verdict === 'backoff') {
    const { summary } = endpoint;
    return [
      'backoff',
      `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${lastFailure} ${expiry}`,
      ...fixes,
      { type: 'retry', webhookId, text: `${fixed} send all that is pending.` },
    ];
  }
  if (attemptCount === 0 || failure === null) {
    return [
      'waiting',
      `The first attempt is due at ${nextAttemptAt}.${limit}${lastFailure} ${expiry}`,
      ...(failure === null
        ? [{ type: 'wait' as const, until: nextAttemptAt, text: 'There is nothing to do.' }]
        : fixes),
    ];
  }
  return [
    'retrying',
    `The last of ${countAttempts(attemptCount)} failed: ${failure.reason}. The next one is at ${nextAttemptAt}.${limit} ${expiry}`,
    ...fixes,
    { type: 'replay', deliveryId: id, text: `${fixed} retry at once.` },
  ];
}
