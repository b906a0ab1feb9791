import type { DeliveryHeaders } from '../webhooks/verify-webhook-options';

/** A raw body: bytes, or the text that a host made of them. */
export type RawBody = string | Uint8Array;

/** A request in the one form that all adapters bring it into. */
export interface Incoming {
  /** The HTTP method, in capitals. */
  method: unknown;
  /** The request's headers, in any case. */
  headers: DeliveryHeaders;
  /**
   * Takes the raw body, and stops as soon as it is longer than `limit` bytes. Null when the sender
   * went away in the middle of it.
   *
   * @throws {WebhookVerificationError} `BODY_TOO_LARGE`, or `BODY_PARSED` when nothing raw is left.
   */
  readBody(limit: number): RawBody | Promise<RawBody | null>;
  /** Whether the host lets work go on after the answer. */
  goesOn: boolean;
  /** Asks the host to stay alive until the work is done, where it must be asked. */
  waitUntil?: ((work: Promise<void>) => unknown) | undefined;
}
