/** Why a delivery was refused. */
export type WebhookVerificationErrorCode =
  /** A secret, `tolerance`, `maxBytes` or `now` cannot be right, or the runtime lacks what is needed. */
  | 'INVALID_CONFIGURATION'
  /** The payload is not the raw body: a parser was there first. */
  | 'BODY_PARSED'
  /** The body has more than `maxBytes`. */
  | 'BODY_TOO_LARGE'
  /** `Service-Signature` is not there. */
  | 'MISSING_SIGNATURE'
  /**
   * One of `webhook-id`, `webhook-timestamp` and `webhook-signature` is not there, though one of the
   * last two is, or `requireTimestamp` asks for them.
   */
  | 'MISSING_HEADER'
  /** A signature that no service could have written. */
  | 'MALFORMED_SIGNATURE'
  /** `webhook-timestamp` is no number of seconds. */
  | 'MALFORMED_TIMESTAMP'
  /** The signature belongs to another body, another secret or another timestamp. */
  | 'SIGNATURE_MISMATCH'
  /** By diagnosis: it matches once the body is written as the service writes it. */
  | 'BODY_RESERIALIZED'
  /** By diagnosis: it matches once the secret is rid of white space or quotes around it. */
  | 'SECRET_WHITESPACE'
  /**
   * By diagnosis: the secret is not the one that signed. It is sure where the message says so, and
   * otherwise the likeliest cause, since the body looks untouched; a forgery looks the same.
   */
  | 'WRONG_SECRET'
  /** Signed correctly, but longer ago than the tolerance: perhaps a replay. */
  | 'TIMESTAMP_TOO_OLD'
  /** Signed correctly, but further in the future than the tolerance. */
  | 'TIMESTAMP_TOO_NEW'
  /** Signed correctly, but the event itself is older than `maxEventAge`. */
  | 'EVENT_TOO_OLD'
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
