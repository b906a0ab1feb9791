/** Why a delivery was rejected. */
export type WebhookVerificationErrorCode =
  /** An option is missing, misspelt or not valid, or the runtime has no WebCrypto. */
  | 'INVALID_CONFIGURATION'
  /**
   * The function that a receiver has as its `secret` threw, or did not return in time; `cause` is its error. The service
   * delivers again.
   */
  | 'SECRET_UNAVAILABLE'
  /** The payload is not the raw body, because a parser has already read it. */
  | 'BODY_ALREADY_PARSED'
  /** The body has more than `maxBytes`. */
  | 'BODY_TOO_LARGE'
  /** `Service-Signature` is missing. */
  | 'MISSING_SIGNATURE'
  /**
   * One of `webhook-id`, `webhook-timestamp` and `webhook-signature` is missing, although one of the last
   * two is present or `requireTimestamp` is set.
   */
  | 'MISSING_HEADER'
  /** A signature does not have the format of one. */
  | 'MALFORMED_SIGNATURE'
  /** `webhook-timestamp` is not a number of seconds. */
  | 'MALFORMED_TIMESTAMP'
  /** The signature is of another body, another secret or another timestamp. */
  | 'SIGNATURE_MISMATCH'
  /** By diagnosis: the signature matches the body as the service wrote it. */
  | 'BODY_RESERIALIZED'
  /** By diagnosis: the signature matches the secret without the whitespace or quotes around it. */
  | 'SECRET_WHITESPACE'
  /**
   * By diagnosis: the delivery was signed with another secret. Certain where the message says so, otherwise
   * the most likely cause, because the body is formatted as the service formats it. A forged delivery, or one with a
   * changed value, looks the same.
   */
  | 'WRONG_SECRET'
  /** The signature is valid, but older than `tolerance`: the delivery may be a replay. */
  | 'TIMESTAMP_TOO_OLD'
  /** The signature is valid, but further in the future than `tolerance`. */
  | 'TIMESTAMP_TOO_NEW'
  /** The signature is valid, but the event is older than `maxEventAge`. */
  | 'EVENT_TOO_OLD'
  /** The signature is valid, but the body is not a JSON object with `createdAt` and `data`. */
  | 'MALFORMED_BODY'
  /** The signature is valid, but the body has no field `event`. */
  | 'MISSING_EVENT'
  /** The signature is valid, but the option `validate` of a receiver rejected the event. */
  | 'INVALID_EVENT';

/** Thrown when a delivery must not be trusted. Respond with a 4xx and do not process it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError' as const;

  constructor(
    /** Why the delivery was rejected. The message says what to do. */
    readonly code: WebhookVerificationErrorCode,
    message: string,
    options?: { readonly cause?: unknown } | undefined,
  ) {
    super(message, options);
  }
}

/** A failed check, without its message. */
export interface VerificationFailure {
  failure: WebhookVerificationErrorCode;
  /** What the message refers to: the name of a header, an option, a number of seconds. */
  about?: string | number | undefined;
}

/** Creates a failed check. The messages are in `explain-failure.ts`, which is loaded on demand. */
export function fail(
  failure: WebhookVerificationErrorCode,
  about?: string | number,
): VerificationFailure {
  return { failure, about };
}
