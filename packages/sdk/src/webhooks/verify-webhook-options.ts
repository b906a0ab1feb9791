/** A request's headers: a `Headers` object, or a record such as Node's `request.headers`. */
export type DeliveryHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** What `verifyWebhook` and `verifyWebhookSync` need to know. */
export interface VerifyWebhookOptions {
  /** The raw body as it arrived, before any parser. The bytes are hashed as they are. */
  payload: string | Uint8Array | ArrayBuffer;
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
  /** The time to measure the timestamp against: a date or milliseconds since 1970. Now unless told. */
  now?: Date | number | undefined;
}
