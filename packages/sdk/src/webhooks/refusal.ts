import type { WebhookVerificationErrorCode } from './webhook-verification-error';

/** A delivery that is not to be believed, before it has been put into words. */
export interface Refusal {
  refused: WebhookVerificationErrorCode;
  /** What the words need to know: a header's name, an option, a number of seconds. */
  about?: string | number | undefined;
}

/** Refuses a delivery. The words are in `explain.ts`, which is loaded when they are needed. */
export function refuse(refused: WebhookVerificationErrorCode, about?: string | number): Refusal {
  return { refused, about };
}
