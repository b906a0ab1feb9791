/** Why a delivery was refused. */
export type WebhookVerificationErrorCode =
  /** A secret, `tolerance` or `now` cannot be right, or the runtime lacks what is needed. */
  | 'INVALID_CONFIGURATION'
  /** The payload is not the raw body: a parser was there first. */
  | 'BODY_PARSED'
  /** `Service-Signature`, or `webhook-signature` beside a timestamp, is not there. */
  | 'MISSING_SIGNATURE'
  /**
   * `webhook-id` or `webhook-timestamp` is not there, though `webhook-signature` covers it; or one
   * of the three is not there, though `requireTimestamp` asks for them.
   */
  | 'MISSING_HEADER'
  /** A signature that no service could have written. */
  | 'MALFORMED_SIGNATURE'
  /** `webhook-timestamp` is no number of seconds. */
  | 'MALFORMED_TIMESTAMP'
  /** The signature belongs to another body, another secret or another timestamp. */
  | 'SIGNATURE_MISMATCH'
  /** Signed correctly, but longer ago than the tolerance: perhaps a replay. */
  | 'TIMESTAMP_TOO_OLD'
  /** Signed correctly, but further in the future than the tolerance. */
  | 'TIMESTAMP_TOO_NEW'
  /** Signed correctly, but not a JSON object with `createdAt` and `data`. */
  | 'MALFORMED_BODY'
  /** Signed correctly, but without the field `event`. */
  | 'MISSING_EVENT';

/** Thrown when a delivery must not be trusted. Answer it with a 4xx and process nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError' as const;

  constructor(
    /** Why it was refused. The message says what to do about it. */
    readonly code: WebhookVerificationErrorCode,
    message: string,
  ) {
    super(message);
  }
}
