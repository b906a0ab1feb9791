import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import { joined } from '../webhooks/joined';
import type { WebhookEvent } from '../webhooks/webhook-event';
import { base64Of, fromBase64, hexOf, utf8Of } from './bytes';
import { hmac } from './hmac';
import { deliveryOf, type SignedDelivery } from './signed-delivery';

/** Any envelope, of a kind that this version knows or not. */
export type SignableEvent =
  | WebhookEvent
  | { event: string; createdAt: string; data: object; [field: string]: unknown };

/** How a delivery is signed. */
export interface SigningOptions {
  /** The endpoint secret, whole. `whsec_` and base64, unless `standard` is false. */
  secret: string;
  /** The event's id, for `webhook-id`. A new one at each call unless told. */
  id?: string | undefined;
  /** When it is sent: a date or milliseconds since 1970. Now unless told. */
  sentAt?: Date | number | undefined;
  /**
   * False for a service that has only the interface: `Service-Signature` alone, without
   * `webhook-id`, `webhook-timestamp` and `webhook-signature`. True unless told.
   */
  standard?: boolean | undefined;
}

/** What `signDelivery` needs to know: an event, or the raw body of one. */
export type SignDeliveryOptions = SigningOptions &
  (
    | {
        /** The event. It is written as the service writes it: compact JSON. */
        event: SignableEvent;
        body?: undefined;
      }
    | {
        /** The raw body, signed as it is: a text as UTF-8. */
        body: string | Uint8Array;
        event?: undefined;
      }
  );

/**
 * Signs a delivery as the service does, in both ways. Source: the interface, "Signature"; Standard
 * Webhooks.
 *
 * @throws {TypeError} when the secret is empty; or is not base64 after `whsec_`, unless `standard` is
 * false.
 * @example
 * const delivery = await signDelivery({ event: sampleEvent('order.created'), secret });
 * const response = await receiver.fetch(delivery.toRequest('https://receiver.example/webhooks'));
 */
export async function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery> {
  const { event, body: given, secret, standard = true } = options;
  if (!secret) throw new TypeError('secret is empty: pass one such as exampleSecret');
  const raw = event ? JSON.stringify(event) : given;
  const body = typeof raw === 'string' ? utf8Of(raw) : Uint8Array.from(raw);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    [names.signature]: hexOf(await hmac(utf8Of(secret), body)),
  };
  if (standard) {
    const id = options.id ?? newEventId();
    const seconds = String(Math.floor(Number(options.sentAt ?? Date.now()) / 1_000));
    headers[names.webhookId] = id;
    headers[names.webhookTimestamp] = seconds;
    headers[names.webhookSignature] = await standardSignature(secret, id, seconds, body);
  }
  return deliveryOf(body, headers);
}

/** One signature of `webhook-signature`, by the bytes that follow `whsec_`. Source: Standard Webhooks. */
export async function standardSignature(
  secret: string,
  id: string,
  seconds: string,
  body: Uint8Array,
): Promise<string> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (!key) {
    throw new TypeError(
      'webhook-signature needs a secret that is base64 after whsec_: pass one such as exampleSecret, or standard: false to sign Service-Signature alone',
    );
  }
  return `v1,${base64Of(await hmac(key, joined([utf8Of(`${id}.${seconds}.`), body])))}`;
}

function newEventId(): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const random = globalThis.crypto.getRandomValues(new Uint8Array(26));
  return `evt_${Array.from(random, (byte) => digits[byte % 32]).join('')}`;
}
