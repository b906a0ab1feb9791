import { allEventTypes } from '@tradepost/contract/wire';
import { findUnknownOption, type OptionNames } from '../option-names';
import { listSecrets } from '../webhooks/checks';
import { findLimitMistake } from '../webhooks/explain-failure';
import { findSecretsMistake } from '../webhooks/secrets';
import { WebhookVerificationError } from '../webhooks/verification-error';
import type { WebhookReceiverOptions } from './options';

const optionNames: OptionNames<WebhookReceiverOptions> = {
  secret: true,
  secrets: true,
  requireTimestamp: true,
  tolerance: true,
  maxEventAge: true,
  maxBytes: true,
  diagnose: true,
  now: true,
  on: true,
  onUnhandled: true,
  dedupe: true,
  background: true,
  onError: true,
  onVerificationError: true,
  validate: true,
  test: true,
};

const eventNames = Object.fromEntries(allEventTypes.map((type) => [type, true as const]));

/**
 * Checks the options of a receiver when it is created, so that a mistake is not found with the first delivery.
 *
 * @throws {WebhookVerificationError} `INVALID_CONFIGURATION`, with the option and what to do
 */
export function checkReceiverOptions(options: WebhookReceiverOptions): void {
  const reason = findMistake(options);
  if (reason !== undefined) {
    throw new WebhookVerificationError('INVALID_CONFIGURATION', `webhookReceiver: ${reason}`);
  }
}

function findMistake(options: WebhookReceiverOptions): string | undefined {
  if (typeof options !== 'object' || options === null) {
    return 'pass options, such as { secret, on, requireTimestamp: true }.';
  }
  const unknown = findUnknownOption(options, optionNames);
  if (unknown) return unknown;
  const mistake = findMistakeInSecrets(options) ?? findLimitMistake(options);
  if (mistake) return mistake;
  for (const name of ['requireTimestamp', 'diagnose'] as const) {
    // An empty text, as of a missing variable, would switch it off.
    if (options[name] !== undefined && typeof options[name] !== 'boolean') {
      return `${name} must be true or false.`;
    }
  }
  const { onUnhandled, dedupe, background, onError, test } = options;
  if (test !== undefined && test !== 'acknowledge' && test !== 'deliver') {
    return "test must be 'acknowledge' or 'deliver'.";
  }
  const on = options.on ?? {};
  const unknownEvent = findUnknownOption(on, eventNames);
  if (unknownEvent) {
    return `on: ${unknownEvent} An event type that is newer than this version goes to onUnhandled.`;
  }
  for (const [type, handler] of Object.entries(on)) {
    if (handler !== undefined && typeof handler !== 'function') {
      return `the handler of ${type} must be a function.`;
    }
  }
  if (onUnhandled !== undefined && onUnhandled !== 'ignore' && typeof onUnhandled !== 'function') {
    return "onUnhandled must be a function or 'ignore'.";
  }
  if (typeof onUnhandled !== 'function' && !Object.values(on).some(Boolean)) {
    return "it has no handler, so it could handle nothing: add one to on, such as on: { 'order.created': async ({ data }) => … }, or pass a function as onUnhandled, which gets the events of every type.";
  }
  for (const name of ['now', 'onError', 'onVerificationError', 'validate'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      return `${name} must be a function.`;
    }
  }
  for (const name of ['claim', 'complete', 'release'] as const) {
    if (dedupe !== undefined && typeof dedupe?.[name] !== 'function') {
      return `dedupe must have the methods claim, complete and release (it has no ${name}).`;
    }
  }
  if (background !== undefined && background !== true && typeof background !== 'function') {
    return 'background must be true or a function.';
  }
  return background !== undefined && onError === undefined
    ? 'background needs onError, because the service does not retry a delivery whose handler throws later.'
    : undefined;
}

function findMistakeInSecrets({
  secret,
  secrets,
}: Pick<WebhookReceiverOptions, 'secret' | 'secrets'>): string | undefined {
  // What a function returns is checked with each delivery.
  const isLate = typeof secret === 'function';
  const all = listSecrets({ secret: isLate ? undefined : secret, secrets });
  if (isLate && !all.length) return undefined;
  const mistake = findSecretsMistake(all);
  return mistake && !all.length
    ? `${mistake} If it does not exist yet, as in a build, pass a function: secret: () => process.env.TRADEPOST_WEBHOOK_SECRET.`
    : mistake;
}
