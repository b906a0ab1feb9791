import {
  formatPosition,
  deliveryHeaderNames as names,
  positionHead,
} from '@tradepost/contract/wire';
import type { WebhookEvent } from '@tradepost/sdk/webhooks';
import { concatBytes } from '../webhooks/raw-body';

/** A signing secret for tests, in the format of the service. It protects nothing. */
export const exampleSecret = 'whsec_VHJhZGVwb3N0IGV4YW1wbGUgc2VjcmV0IGZvciB0ZXN0cw==';

/** An event to sign, of a known or an unknown type. */
export type SignableEvent =
  | WebhookEvent
  | { event: string; createdAt: string; data: object; [field: string]: unknown };

/** Options of a signature. */
export interface SigningOptions {
  /** The signing secret: `whsec_` and base64, unless `standard` is false. */
  secret: string;
  /** ID of the event, for `webhook-id`. @default a random ID */
  id?: string | undefined;
  /** When it is sent: a date or milliseconds since 1970. @default Date.now() */
  sentAt?: Date | number | undefined;
  /**
   * False for a service without extensions: only `Service-Signature`, without `webhook-id`,
   * `webhook-timestamp` and `webhook-signature`. @default true
   */
  standard?: boolean | undefined;
  /**
   * Where the event is in the log of the account and in the history of its order, for `sequence` and `orderVersion` of the
   * delivery. A service without extensions sends none. @default none
   */
  position?: { sequence: number; orderVersion?: number | null | undefined } | null | undefined;
}

/** Options of `signDelivery`: an event, or its raw body. */
export type SignDeliveryOptions = SigningOptions &
  (
    | {
        /** The event. It is serialized as the service does: compact JSON. */
        event: SignableEvent;
        body?: undefined;
      }
    | {
        /** The raw body, signed unchanged; a text is signed as UTF-8. */
        body: string | Uint8Array;
        event?: undefined;
      }
  );

/**
 * Signs a delivery as the service does, with both signatures. Source: API specification, "Signature";
 * Standard Webhooks.
 *
 * @throws {TypeError} when the secret is empty, or not base64 after `whsec_` unless `standard` is false.
 * @example
 * const delivery = await signDelivery({ event: sampleEvent('order.created'), secret });
 * const response = await receiver.fetch(delivery.toRequest('https://receiver.example/webhooks'));
 */
export async function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery> {
  const { event, body: given, secret, standard = true } = options;
  if (!secret) throw new TypeError('secret is empty: pass a secret such as exampleSecret');
  const raw = event ? JSON.stringify(event) : given;
  const body = typeof raw === 'string' ? encodeUtf8(raw) : Uint8Array.from(raw);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    [names.signature]: encodeHex(await hmac(encodeUtf8(secret), body)),
  };
  if (standard) {
    const id = options.id ?? newEventId();
    const seconds = String(Math.floor(Number(options.sentAt ?? Date.now()) / 1_000));
    headers[names.webhookId] = id;
    headers[names.webhookTimestamp] = seconds;
    headers[names.webhookSignature] = await standardSignature(secret, id, seconds, body);
    if (options.position) {
      const { sequence, orderVersion = null } = options.position;
      const position = formatPosition({ sequence, orderVersion });
      headers[names.position] = position;
      headers[names.positionSignature] = await signPosition(secret, id, seconds, position, body);
    }
  }
  return createSignedDelivery(body, headers);
}

/**
 * Signs a delivery as the service does while a secret is staged: `webhook-signature` and the signature of the position have one
 * by each secret. `Service-Signature` has one, by the current secret.
 */
export async function signWithStaged(
  options: SignDeliveryOptions,
  stagedSecret: string | null,
): Promise<SignedDelivery> {
  const signed = await signDelivery(options);
  if (stagedSecret === null || options.standard === false) return signed;
  const staged = await signDelivery({ ...options, secret: stagedSecret });
  const headers = { ...signed.headers };
  for (const name of [names.webhookSignature, names.positionSignature]) {
    if (name in headers) headers[name] = `${staged.headers[name]} ${headers[name]}`;
  }
  return createSignedDelivery(signed.body, headers);
}

/** Computes one signature of `Tradepost-Position-Signature`. */
async function signPosition(
  secret: string,
  id: string,
  seconds: string,
  position: string,
  body: Uint8Array,
): Promise<string> {
  const message = concatBytes([encodeUtf8(positionHead(id, seconds, position)), body]);
  return encodeHex(await hmac(encodeUtf8(secret), message));
}

/** Computes one signature of `webhook-signature`. Source: Standard Webhooks. */
export async function standardSignature(
  secret: string,
  id: string,
  seconds: string,
  body: Uint8Array,
): Promise<string> {
  const key = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!key) {
    throw new TypeError(
      'webhook-signature needs a secret that is base64 after whsec_: pass a secret such as exampleSecret, or set standard to false',
    );
  }
  return `v1,${encodeBase64(await hmac(key, concatBytes([encodeUtf8(`${id}.${seconds}.`), body])))}`;
}

/** Creates the ID of an event, `evt_` and 26 digits and letters. */
export function newEventId(): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const random = globalThis.crypto.getRandomValues(new Uint8Array(26));
  return `evt_${Array.from(random, (byte) => digits[byte % 32]).join('')}`;
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** Computes an HMAC-SHA256 with WebCrypto, which all supported runtimes have. The key must not be empty. */
export async function hmac(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await subtle.sign(algorithm, imported, message));
}

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Encodes bytes as lowercase hexadecimal digits. */
export function encodeHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Decodes base64. Null when the text is empty or not valid. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return text ? Uint8Array.from(atob(text), (one) => one.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

/**
 * The bytes of a body. Not `Uint8Array<ArrayBuffer>`, which compilers before TypeScript 5.7 do not know; `fetch`
 * and `Request` accept it in all versions.
 */
export type Bytes = Uint8Array & { readonly buffer: ArrayBuffer };

/** A signed delivery, ready to send to a receiver. */
export interface SignedDelivery {
  /** The raw body. */
  body: Bytes;
  /** The headers, in the spelling of the service. */
  headers: Record<string, string>;
  /** The second argument of `fetch`: `fetch(url, delivery.init)`. */
  init: { method: 'POST'; headers: Record<string, string>; body: Bytes };
  /** Creates a new web `Request` to a URL. */
  toRequest(url: string | URL): Request;
}

/** Creates a delivery from a body and its headers. */
export function createSignedDelivery(body: Bytes, headers: Record<string, string>): SignedDelivery {
  const init = { method: 'POST' as const, headers, body };
  return { body, headers, init, toRequest: (url) => new Request(url, init) };
}
