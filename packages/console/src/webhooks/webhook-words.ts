import type { DeliveryStats, WebhookDetails, WebhookUpdateParams } from '@tradepost/sdk';
import { explainWebhook, type WebhookVerdict } from '@tradepost/sdk/explain';
import type { Tone } from '../ui/badge';

const tones: Record<WebhookVerdict, Tone> = {
  healthy: 'good',
  active: 'good',
  failing: 'bad',
  backoff: 'bad',
  disabled: 'bad',
  paused: 'warn',
  unknown: 'plain',
};

/** Returns how a webhook fares, in a word and a colour. */
export function describeWebhook(
  webhook: WebhookDetails,
  now: number,
): { word: string; tone: Tone; reason: string } {
  const { verdict, reason } = explainWebhook(webhook, { now });
  return { word: verdict, tone: tones[verdict], reason };
}

/** Returns the share of attempts that succeeded, in percent; null without an attempt. */
export function getSuccessRate({ attempts }: Pick<DeliveryStats, 'attempts'>): number | null {
  const all = Object.values(attempts).reduce((sum, count) => sum + count, 0);
  return all === 0 ? null : (100 * attempts['2xx']) / all;
}

/** Writes a share in percent. 100 % means all: one of a million that failed shows. */
export function formatPercent(percent: number | null): string {
  if (percent === null) return 'no attempts';
  if (percent === 100 || percent === 0) return `${percent} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(1)} %`;
}

/** The settings of a webhook as options of a command. */
export function toWebhookOptions({
  url,
  events,
  description,
  attemptsPerMinute,
  headers,
}: WebhookUpdateParams): string[] {
  return [
    ...(url === undefined ? [] : ['--url', url]),
    ...(events === undefined ? [] : ['--events', events.join(',')]),
    ...(description === undefined ? [] : ['--description', description ?? '']),
    ...(attemptsPerMinute === undefined
      ? []
      : ['--attempts-per-minute', String(attemptsPerMinute ?? 'none')]),
    // Arguments can be seen by other users of a machine.
    ...(headers === undefined ? [] : ['--headers-file', 'headers.txt']),
  ];
}
