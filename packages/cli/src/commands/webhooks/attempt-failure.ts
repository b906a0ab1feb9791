import { type AttemptError, attemptErrors } from '@tradepost/contract/attempt-errors';
import type { Delivery } from '@tradepost/sdk';
import { commandHint, type Hint, localHint } from '../../errors/cli-error';
import { replaceArg } from '../../report/hint';

interface AttemptFailure {
  /** The second half of a sentence. */
  reason: string;
  hints: readonly Hint[];
}

/** Stands for the ID of the webhook. */
const webhookIdPlaceholder = 'WEBHOOK_ID';

function changeUrl(text: string, url = 'https://…'): Hint {
  return commandHint(text, 'webhooks update', webhookIdPlaceholder, '--url', url);
}

/** Commands that help with an attempt error. The contract has the advice that needs no command. */
const commandsByError: Partial<Record<AttemptError, Hint>> = {
  forbidden_address: commandHint('For a receiver on your machine, use', 'webhooks listen'),
  forbidden_scheme: changeUrl('To change the URL, run'),
  forbidden_port: changeUrl('To change the URL, run'),
};

function explainError(error: string): AttemptFailure {
  const [, name = '', detail = ''] = /^(\w+)(.*)$/s.exec(error) ?? [];
  if (!isAttemptError(name)) return { reason: `no response: ${error}`, hints: [] };
  const { summary, action } = attemptErrors[name];
  return {
    reason: `${summary}${detail}`,
    hints: [action, ...[commandsByError[name] ?? []].flat()],
  };
}

/** Later versions of the service may add names. */
function isAttemptError(name: string): name is AttemptError {
  return Object.hasOwn(attemptErrors, name);
}

const verifyHint: Hint = localHint(
  'If the receiver rejected the signature, find out why with',
  'webhooks verify',
);

const byStatus: Readonly<Record<number, AttemptFailure>> = {
  400: {
    reason: 'it could not read the delivery, or rejected its signature',
    hints: [localHint('Check the secret and the raw body with', 'webhooks verify')],
  },
  401: {
    reason: 'it, or a proxy in front of it, requires authentication',
    hints: ['Accept deliveries without a login: the signature authenticates them.', verifyHint],
  },
  404: {
    reason: 'the path does not exist',
    hints: [changeUrl('Check the path. To change it, run')],
  },
  429: {
    reason: 'it limits the rate',
    hints: ['Raise the limit, or queue events. `Retry-After` is respected.'],
  },
  503: {
    reason: 'the receiver is down or overloaded',
    hints: ['Check that the receiver is running. `Retry-After` with a 503 is respected.'],
  },
};

const aliases: Readonly<Record<number, number>> = { 403: 401, 410: 404, 502: 503, 504: 503 };

function explainStatus(status: number): AttemptFailure {
  const returned = `the receiver returned ${status}`;
  if (status >= 300 && status < 400) {
    return {
      reason: `${returned}, a redirect, which is not followed`,
      hints: [changeUrl('Often a slash at the end is missing or extra. Register the target:')],
    };
  }
  const known = byStatus[aliases[status] ?? status];
  if (known !== undefined) return { ...known, reason: `${returned}: ${known.reason}` };
  if (status >= 500) {
    return {
      reason: `${returned}: it failed`,
      hints: ['Check the log of the receiver at the time of the attempt.'],
    };
  }
  return { reason: returned, hints: ['Only a 2xx response accepts a delivery.'] };
}

/**
 * Explains why the last attempt of a delivery failed. Errors that this version does not know are shown as
 * they are.
 *
 * @returns null if there was no attempt, or if it succeeded
 */
export function getAttemptFailure({
  lastStatus,
  lastError,
  webhookId = webhookIdPlaceholder,
}: Pick<Delivery, 'lastStatus' | 'lastError'> & { webhookId?: string }): AttemptFailure | null {
  if (lastStatus !== null && lastStatus >= 200 && lastStatus < 300) return null;
  if (lastStatus === null && lastError === null) return null;
  const { reason, hints } =
    lastStatus === null ? explainError(lastError ?? '') : explainStatus(lastStatus);
  return { reason, hints: replaceArg(hints, webhookIdPlaceholder, webhookId) };
}

/** Explains why a delivery has failed for good, as the second half of a sentence. */
export function formatFailure(
  delivery: Pick<Delivery, 'lastStatus' | 'lastError' | 'attemptCount'>,
): string {
  if (delivery.attemptCount === 0) return 'it expired before the first attempt';
  return getAttemptFailure(delivery)?.reason ?? 'unknown reason';
}
