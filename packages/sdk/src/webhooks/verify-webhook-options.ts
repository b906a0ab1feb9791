/** A request's headers: a `Headers` object, or a record such as Node's `request.headers`. */
export type DeliveryHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A raw body: the text or the bytes as they arrived, before any parser. */
export type RawPayload = string | Uint8Array | ArrayBuffer;

/** A web `Request` whose body nobody has read yet, as far as it matters here. */
export interface RequestPayload {
  /** Its headers, used when `headers` is left out. */
  readonly headers: { get(name: string): string | null };
  /** Its body, still to be read. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Whether somebody has begun to read the body. */
  readonly bodyUsed: boolean;
}

/** What `verifyWebhookSync` and `verifyDeliverySync` need to know. */
export interface VerifyWebhookSyncOptions {
  /** The raw body as it arrived. Its bytes are hashed as they are, a text's as UTF-8. */
  payload: RawPayload;
  /** The request's headers, in any case. They also carry what tells a replay. */
  headers?: DeliveryHeaders | undefined;
  /** The value of `Service-Signature`, where the headers are not at hand. */
  signature?: string | undefined;
  /** The webhook's endpoint secret, whole: `whsec_` is a part of it. */
  secret?: string | undefined;
  /** Several endpoint secrets, while one replaces the other: any of them may match. */
  secrets?: readonly string[] | undefined;
  /**
   * Whether `webhook-id`, `webhook-timestamp` and `webhook-signature` must be there, else the code
   * is `MISSING_HEADER`. False unless told, since a service that has only the interface sends
   * `Service-Signature` alone. Set it for one that sends them all: a delivery that somebody
   * captured is then no good later, nor without these headers, nor under another `webhook-id`.
   */
  requireTimestamp?: boolean | undefined;
  /** Seconds that `webhook-timestamp` may lie in the past or in the future: 300 unless told. */
  tolerance?: number | undefined;
  /**
   * Seconds that the event's own `createdAt` may lie in the past, else the code is `EVENT_TOO_OLD`. Not
   * looked at unless told: it is the same in each attempt, and the service tries for 24 hours. For a
   * service that signs no timestamp, 90,000 keeps out what is older than any attempt.
   */
  maxEventAge?: number | undefined;
  /** Bytes that the body may have (of a text: characters): 1,048,576 unless told. */
  maxBytes?: number | undefined;
  /** The time to measure the timestamp against: a date or milliseconds since 1970. Now unless told. */
  now?: Date | number | undefined;
  /**
   * Whether to find out why a signature does not match: `SIGNATURE_MISMATCH` then becomes
   * `BODY_RESERIALIZED`, `SECRET_WHITESPACE` or `WRONG_SECRET` where the cause can be told. It takes
   * a few more hashes and is for the developer's eyes; the delivery is refused either way. On unless
   * `NODE_ENV` is `production`, and off where there is no `process`.
   */
  diagnose?: boolean | undefined;
}

/** What `verifyWebhook` and `verifyDelivery` need to know. */
export interface VerifyWebhookOptions extends Omit<VerifyWebhookSyncOptions, 'payload'> {
  /**
   * The raw body as it arrived, whose bytes are hashed as they are; or a web `Request`, whose body
   * is read here, up to `maxBytes`.
   */
  payload: RawPayload | RequestPayload;
}
