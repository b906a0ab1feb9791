import type { Tradepost, WebhookDetails } from '@tradepost/sdk';
import type { CliContext } from '../../context';
import { capitalize, commandHint, type Hint } from '../../errors/cli-error';
import { printNotice } from '../../output/print';
import { formatNumber } from '../../output/text';
import { formatRelative } from '../../output/times';
import { type ConnectionFlags, formatHints } from '../../report/hint';
import { getAttemptFailure } from './attempt-failure';
import { formatLastAttempt } from './delivery-view';

/**
 * Returns the state of an endpoint: `paused`, `backoff`, `failing`, `healthy`, or `active` if nothing was sent to it. A
 * service may not say how it fares.
 */
export function getEndpointState(webhook: WebhookDetails, now: number): string {
  const { status, backoffUntil, consecutiveFailures, lastStatus } = webhook;
  if (status !== 'active') return status;
  if (Date.parse(backoffUntil ?? '') > now) return 'backoff';
  if (consecutiveFailures > 0) return 'failing';
  return (lastStatus ?? null) === null ? 'active' : 'healthy';
}

/** Formats how the last attempt ended, and from a minute on for how long attempts have failed: `401 for 3 hr`. */
export function formatLast(webhook: WebhookDetails, now: number): string {
  const since = Date.parse(webhook.failingSince ?? '');
  const [, age] = /^(\d+ (?!sec).*) ago$/.exec(formatRelative(since, now)) ?? [];
  const last = formatLastAttempt(webhook);
  return age === undefined ? last : `${last} for ${age}`;
}

/** Says how an endpoint fares: `205 pending, endpoint backs off until 2026-…, last response 401 for 3 hr`. */
export function describeEndpoint(webhook: WebhookDetails, now: number): string {
  const { pendingDeliveries, backoffUntil, lastStatus } = webhook;
  const state = getEndpointState(webhook, now);
  const states: Record<string, string> = {
    backoff: `endpoint backs off until ${backoffUntil}`,
    paused: 'webhook is paused',
  };
  const last = formatLast(webhook, now);
  return [
    ...(pendingDeliveries === undefined ? [] : [`${formatNumber(pendingDeliveries)} pending`]),
    states[state] ?? `endpoint is ${state}`,
    ...(last === '-'
      ? []
      : [`last ${(lastStatus ?? null) === null ? 'attempt' : 'response'} ${last}`]),
  ].join(', ');
}

/** Whether an endpoint does not get what is sent to it. */
export function isUnhealthy(webhook: WebhookDetails, now: number): boolean {
  return ['backoff', 'failing'].includes(getEndpointState(webhook, now));
}

/** Explains how an endpoint fares, and what to do about it. */
export function explainEndpoint(
  webhook: WebhookDetails,
  now: number,
): { verdict: string; reason: string; hints: readonly Hint[] } {
  const { id, pendingDeliveries } = webhook;
  const verdict = getEndpointState(webhook, now);
  const failure = isUnhealthy(webhook, now) ? getEndpointFailure(webhook) : null;
  const why = failure === null ? '' : ` The last attempt failed: ${failure.reason}.`;
  const reason = `${capitalize(describeEndpoint(webhook, now))}.${why}`;
  if (verdict === 'paused') {
    return { verdict, reason, hints: [commandHint('Resume it:', 'webhooks resume', id)] };
  }
  const retry = commandHint('Then send all that is pending now:', 'webhooks retry', id);
  const isWaiting = isUnhealthy(webhook, now) && pendingDeliveries !== 0;
  return { verdict, reason, hints: [...(failure?.hints ?? []), ...(isWaiting ? [retry] : [])] };
}

/** Explains the last attempt of an endpoint if it failed. */
export function getEndpointFailure({ id, lastStatus = null, lastError = null }: WebhookDetails) {
  return getAttemptFailure({ lastStatus, lastError, webhookId: id });
}

/** The webhooks of the account, as far as the service shows them, and its extensions. */
export interface Endpoints {
  webhooks: readonly WebhookDetails[];
  extensions: readonly string[];
}

/** Lists the webhooks of the account: an account has at most 20. It never rejects. */
export async function listEndpoints(
  { webhooks }: Pick<Tradepost, 'webhooks'>,
  { signal }: Pick<CliContext, 'signal'>,
): Promise<Endpoints> {
  const found = await webhooks.list({ limit: 100 }, { signal }).safe();
  return found.ok
    ? { webhooks: found.data.data, extensions: found.extensions }
    : { webhooks: [], extensions: found.error.extensions };
}

/** Says why deliveries that seem to have failed are not found: they are pending while their endpoint backs off. */
export function printBackoffs(
  webhooks: readonly WebhookDetails[],
  options: ConnectionFlags & { webhook?: string },
  context: CliContext,
): void {
  const now = context.now();
  for (const webhook of webhooks) {
    const { id, pendingDeliveries } = webhook;
    const isWanted = (options.webhook ?? id) === id && pendingDeliveries > 0;
    if (!isWanted || getEndpointState(webhook, now) !== 'backoff') continue;
    const text = `${id}: ${describeEndpoint(webhook, now)}. See`;
    const hint = { text, command: 'webhooks explain', args: [id] };
    printNotice(context, formatHints([hint], options) ?? '');
  }
}
