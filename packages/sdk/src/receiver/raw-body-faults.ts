import { tooLarge } from '../webhooks/too-large';
import { WebhookVerificationError } from '../webhooks/webhook-verification-error';

/** The error for a body that has, or says it has, more than `limit` bytes. */
export function bodyTooLarge(limit: number): WebhookVerificationError {
  return new WebhookVerificationError('BODY_TOO_LARGE', tooLarge(limit));
}

/** The error for a request whose body was read before the receiver got it. */
export function bodyParsed(fix: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'BODY_PARSED',
    `The body was read before the receiver got it, and nothing raw is left of it: ${fix}`,
  );
}
