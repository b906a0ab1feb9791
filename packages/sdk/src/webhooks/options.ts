import type { WebhookEvent } from './event';

/** The headers of a request: a `Headers` object, or a record such as Node's `request.headers`. */
export type DeliveryHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A raw body: the text or the bytes as received, before any parser. */
export type RawPayload = string | Uint8Array | ArrayBuffer;

/** An unread web `Request`: the part of it that verification uses. */
export interface RequestPayload {
  /** Its headers, used when `headers` is left out. */
  readonly headers: { get(name: string): string | null };
  /** Its unread body. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Whether its body was read. */
  readonly bodyUsed: boolean;
}

/** How deliveries are verified: the options that verification functions and receivers share. */
export interface VerificationOptions {
  /** The webhook's signing secret, including `whsec_`. */
  secret?: string | undefined;
  /** Several signing secrets, while one replaces the other. Any of them may match. */
  secrets?: readonly string[] | undefined;
  /**
   * Whether `webhook-id`, `webhook-timestamp` and `webhook-signature` are required. Without them the code
   * is `MISSING_HEADER`. Set it if the service sends them: then a captured delivery cannot be replayed
   * later, without these headers, or with another `webhook-id`. A service without extensions sends only
   * `Service-Signature`. @default false
   */
  requireTimestamp?: boolean | undefined;
  /** Seconds that `webhook-timestamp` may be in the past or in the future. @default 300 */
  tolerance?: number | undefined;
  /**
   * Seconds that the event's `createdAt` may be in the past; otherwise the code is `EVENT_TOO_OLD`. All
   * attempts have the same `createdAt`, and the service retries for 24 hours: for a service that does not
   * sign timestamps, 90,000 rejects whatever is older than any attempt. @default no limit
   */
  maxEventAge?: number | undefined;
  /** Maximum size of the body in bytes (of a text: in characters). @default 1_048_576 */
  maxBytes?: number | undefined;
  /**
   * Whether to diagnose why a signature does not match: if the cause is found, `SIGNATURE_MISMATCH` becomes
   * `BODY_RESERIALIZED`, `SECRET_WHITESPACE` or `WRONG_SECRET`. It costs a few more hashes and is meant for
   * developers; the delivery is rejected either way. @default true unless `NODE_ENV` is `production` or
   * there is no `process`
   */
  diagnose?: boolean | undefined;
}

/** The options of one verification, except the body. */
export interface DeliveryOptions extends VerificationOptions {
  /** The headers of the request, with names in any case. Replay protection needs them. */
  headers?: DeliveryHeaders | undefined;
  /** The value of `Service-Signature`, if the headers are not available. */
  signature?: string | undefined;
  /** The current time: a date or milliseconds since 1970. @default Date.now() */
  now?: Date | number | undefined;
}

/** Options of `verifyWebhookSync` and `verifyDeliverySync`. */
export interface VerifyWebhookSyncOptions extends DeliveryOptions {
  /** The raw body as received. Its bytes are hashed unchanged; a text is hashed as UTF-8. */
  payload: RawPayload;
}

/** Options of `verifyWebhook` and `verifyDelivery`. */
export interface VerifyWebhookOptions extends DeliveryOptions {
  /**
   * The raw body as received, whose bytes are hashed unchanged; or an unread web `Request`, whose body is
   * read up to `maxBytes`.
   */
  payload: RawPayload | RequestPayload;
}

/** A verified delivery. */
export interface VerifiedDelivery {
  /** The event in the body. */
  event: WebhookEvent;
  /**
   * ID of the event, `evt_<id>`, the same in every attempt: the value of `webhook-id`, if
   * `webhook-signature` covers it. Null when the delivery has only `Service-Signature`.
   */
  id: string | null;
  /** When this attempt was signed: the value of `webhook-timestamp`. Null when the delivery has only `Service-Signature`. */
  sentAt: Date | null;
  /** The value of `Service-Signature`: the same for the same body and secret. */
  signature: string;
  /** Index of the secret that matched: `secret`, or what it returned, starts at 0, followed by `secrets`. */
  secretIndex: number;
  /**
   * Number of the event in the event log of the account: an event with a higher one comes later. Null when the delivery has
   * no signed position: a test event, or a delivery of a service without this extension.
   */
  sequence: number | null;
  /**
   * Version of the order after the change that caused the event: the number in its `ETag`. Null when the event is not about
   * an order, and when the delivery has no signed position. Events may arrive out of order: an event whose version is not
   * higher than the one that you have is old news.
   */
  orderVersion: number | null;
  /**
   * Whether the event is a test event, which the account requested and whose data is made up. The body says so, in its IDs,
   * so no one can make a test of a real event or the reverse. False for a service that has no test events.
   */
  test: boolean;
}
