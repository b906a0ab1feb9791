import type { WebhookDetails } from '@tradepost/sdk';
import type { Action } from './action';
import { explainFailure, type FailureExplanation } from './explain-failure';

/** How a webhook fares, in a word for programs. */
export type WebhookVerdict =
  /** It accepted the last attempt. */
  | 'healthy'
  /** Its last attempts failed. */
  | 'failing'
  /** Nothing is sent for a while, because attempts failed or the receiver asked for it. */
  | 'backoff'
  /** The service paused it, because its endpoint kept failing. */
  | 'disabled'
  /** Its account paused it. */
  | 'paused'
  /** Nothing was sent to it yet. */
  | 'active'
  /** It has a status that this version does not know. */
  | 'unknown';

/** How a webhook fares, and what to do about it. */
export interface WebhookExplanation {
  /** How it fares, in a word for programs. */
  verdict: WebhookVerdict;
  /** The same in sentences, with times in ISO 8601. */
  reason: string;
  /** Only the facts, as a clause: `205 pending, endpoint backs off until 2026-…, last response 401 for 3 hr`; nothing of 0 pending. */
  summary: string;
  /** How the last attempt ended, and from a minute on for how long attempts have failed: `401 for 3 hr`. Null if there was none. */
  last: string | null;
  /** Why the last attempt failed. Null if it did not. */
  failure: FailureExplanation | null;
  /** What to do, in this order. */
  actions: Action[];
}

function getVerdict(webhook: WebhookDetails, now: number): WebhookVerdict {
  const { status, disabledAt, backoffUntil, consecutiveFailures, lastStatus } = webhook;
  if (status === 'paused') return disabledAt ? 'disabled' : 'paused';
  if (status !== 'active') return 'unknown';
  if (Date.parse(backoffUntil ?? '') > now) return 'backoff';
  if (consecutiveFailures > 0) return 'failing';
  return (lastStatus ?? null) === null ? 'active' : 'healthy';
}

/** Formats how long something lasts, in whole units; empty for less than a minute. */
function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (!(minutes >= 1)) return '';
  if (minutes < 60) return ` for ${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return ` for ${hours} hr`;
  const days = Math.floor(hours / 24);
  return ` for ${days} ${days === 1 ? 'day' : 'days'}`;
}

/** Says what the limit of attempts per minute does; empty if there is none. */
export function describeLimit(
  webhook: WebhookDetails | null | undefined,
  consequence: string,
): string {
  const attempts = webhook?.attemptsPerMinute ?? null;
  if (attempts === null) return '';
  return ` Its endpoint gets at most ${countAttempts(attempts)} a minute, so ${consequence}.`;
}

/** Writes a number of attempts: `1 attempt`, `2 attempts`. */
export function countAttempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

/**
 * Explains how a webhook fares, as far as the service says it.
 *
 * @param webhook as `webhooks.get` and `webhooks.list` return it
 * @param options.now the current time. @default Date.now()
 */
export function explainWebhook(
  webhook: WebhookDetails,
  options: { now?: Date | number | undefined } = {},
): WebhookExplanation {
  const { now = Date.now() } = options;
  const { id: webhookId, status, pendingDeliveries, backoffUntil } = webhook;
  const { lastStatus = null, lastError = null, failingSince } = webhook;
  const verdict = getVerdict(webhook, Number(now));
  const states: Partial<Record<WebhookVerdict, string>> = {
    backoff: `endpoint backs off until ${backoffUntil}`,
    paused: 'webhook is paused',
    disabled: `webhook is disabled since ${webhook.disabledAt}`,
    unknown: `webhook is ${status}`,
  };
  const ended = [lastStatus, lastError].filter((part) => part !== null).join(' ');
  const last =
    ended === '' ? null : `${ended}${formatAge(Number(now) - Date.parse(failingSince ?? ''))}`;
  const summary = [
    // A service without this extension sends no number.
    ...(!pendingDeliveries ? [] : [`${pendingDeliveries.toLocaleString('en-US')} pending`]),
    states[verdict] ?? `endpoint is ${verdict}`,
    ...(last === null ? [] : [`last ${lastStatus === null ? 'attempt' : 'response'} ${last}`]),
  ].join(', ');
  const isUnhealthy = verdict === 'backoff' || verdict === 'failing';
  const isDisabled = verdict === 'disabled';
  const failure =
    isUnhealthy || isDisabled ? explainFailure({ webhookId, lastStatus, lastError }) : null;
  const why = failure === null ? '' : ` The last attempt failed: ${failure.reason}.`;
  const isSent = ['active', 'healthy', 'failing'].includes(verdict);
  const limit =
    isSent && pendingDeliveries > 0
      ? describeLimit(webhook, 'pending deliveries may wait for that')
      : '';
  const actions = [...(failure?.actions ?? [])];
  if (isDisabled && !actions.some(({ type }) => type === 'change_url'))
    actions.push({ type: 'change_url', webhookId, text: 'Change the URL if it has moved.' });
  if (verdict === 'paused' || isDisabled) {
    const text = isDisabled ? 'Then resume the webhook.' : 'Resume the webhook.';
    actions.push({ type: 'resume', webhookId, text });
  }
  if (isUnhealthy && pendingDeliveries !== 0) {
    actions.push({ type: 'retry', webhookId, text: 'Then send all that is pending now.' });
  }
  return {
    verdict,
    reason: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${limit}${why}`,
    summary,
    last,
    failure,
    actions,
  };
}
