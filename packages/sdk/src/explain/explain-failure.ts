import { type AttemptError, attemptErrors } from '@tradepost/contract/attempt-errors';
import type { Delivery } from '@tradepost/sdk';
import type { Action } from './action';

/** How the last attempt of a delivery, or to a webhook, ended. */
export type AttemptOutcome = Pick<Delivery, 'webhookId' | 'lastStatus' | 'lastError'>;

/** Why an attempt failed, in a word: an attempt error of the service, or what a status means. */
export type FailureCause =
  | AttemptError
  /** 3xx: redirects are not followed. */
  | 'redirect'
  /** 400: the receiver could not read the delivery, or rejected its signature. */
  | 'rejected'
  /** 401 and 403. */
  | 'authentication'
  /** 404 and 410. */
  | 'not_found'
  /** 429. */
  | 'rate_limited'
  /** 502, 503 and 504. */
  | 'unavailable'
  /** Any other 5xx. */
  | 'receiver_failed'
  /** Any other status that is not 2xx. */
  | 'not_accepted'
  /** An attempt error that this version does not know. */
  | 'unknown';

/** Why the last attempt failed. */
export interface FailureExplanation {
  /** Why it failed, in a word for programs. */
  cause: FailureCause;
  /** The same for people, as the second half of a sentence. */
  reason: string;
  /** HTTP status of the response. Null when there was none. */
  status: number | null;
  /** The attempt error, as the service wrote it. Null when there was a complete response. */
  error: string | null;
  /** What to do about it, in this order. */
  actions: Action[];
}

type Explained = [cause: FailureCause, reason: string, ...actions: Action[]];

function fix(text: string): Action {
  return { type: 'fix', text };
}

function changeUrl(webhookId: string, text: string): Action {
  return { type: 'change_url', webhookId, text };
}

/** Later versions of the service may add names. */
function isAttemptError(name: string): name is AttemptError {
  return Object.hasOwn(attemptErrors, name);
}

function explainError(error: string, webhookId: string): Explained {
  const [, name = '', detail = ''] = /^(\w+)(.*)$/s.exec(error) ?? [];
  if (!isAttemptError(name)) return ['unknown', `no response: ${error}`];
  const { summary, action } = attemptErrors[name];
  const more: Action[] = [];
  if (name === 'forbidden_address') {
    more.push({
      type: 'forward',
      text: 'For a receiver on your machine, forward the events to it.',
    });
  } else if (name.startsWith('forbidden_')) {
    more.push(changeUrl(webhookId, 'Change the URL of the webhook.'));
  }
  return [name, `${summary}${detail}`, fix(action), ...more];
}

function explainStatus(status: number, webhookId: string): Explained {
  const returned = `the receiver returned ${status}`;
  if (status >= 300 && status < 400) {
    const text = 'Often a slash at the end is missing or extra. Register the target.';
    return [
      'redirect',
      `${returned}, a redirect, which is not followed`,
      changeUrl(webhookId, text),
    ];
  }
  switch (status) {
    case 400:
      return [
        'rejected',
        `${returned}: it could not read the delivery, or rejected its signature`,
        { type: 'verify', text: 'Check the secret and the raw body.' },
      ];
    case 401:
    case 403:
      return [
        'authentication',
        `${returned}: it, or a proxy in front of it, requires authentication`,
        fix('Accept deliveries without a login: the signature authenticates them.'),
        { type: 'verify', text: 'If the receiver rejected the signature, find out why.' },
      ];
    case 404:
    case 410:
      return [
        'not_found',
        `${returned}: the path does not exist`,
        changeUrl(webhookId, 'Check the path. If it is wrong, change it.'),
      ];
    case 429:
      return [
        'rate_limited',
        `${returned}: it limits the rate`,
        fix('Raise the limit, or queue events. `Retry-After` is respected.'),
      ];
    case 502:
    case 503:
    case 504:
      return [
        'unavailable',
        `${returned}: the receiver is down or overloaded`,
        fix('Check that the receiver is running. `Retry-After` with a 503 is respected.'),
      ];
  }
  return status >= 500
    ? [
        'receiver_failed',
        `${returned}, an error on its side`,
        fix('Check the log of the receiver at the time of the attempt.'),
      ]
    : ['not_accepted', returned, fix('Only a 2xx response accepts a delivery.')];
}

/**
 * Explains why the last attempt failed.
 *
 * @returns null if there was no attempt, or if it succeeded
 */
export function explainFailure(outcome: AttemptOutcome): FailureExplanation | null {
  // A service without this extension sends neither.
  const { webhookId, lastStatus: status = null, lastError: error = null } = outcome;
  if (status === null && error === null) return null;
  if (status !== null && status >= 200 && status < 300) return null;
  const [cause, reason, ...actions] =
    status === null ? explainError(error ?? '', webhookId) : explainStatus(status, webhookId);
  return { cause, reason, status, error, actions };
}
