import type { WebhookEvent } from './webhook-event';

/** A delivery that may be trusted, and what its verification learned. */
export interface VerifiedDelivery {
  /** The event, as the body has it. */
  event: WebhookEvent;
  /**
   * The event's id, `evt_<id>`, the same in each attempt: what the header `webhook-id` says, if
   * `webhook-signature` covers it. Null when the delivery carries `Service-Signature` alone.
   */
  id: string | null;
  /** When this attempt was signed, as `webhook-timestamp` says; null like `id`. */
  sentAt: Date | null;
  /** The value of `Service-Signature`: equal for equal bodies under one secret. */
  signature: string;
  /** Which secret `Service-Signature` matched: its place among `secret` and then `secrets`, from 0. */
  secretIndex: number;
}
