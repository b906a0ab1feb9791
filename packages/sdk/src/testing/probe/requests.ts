import { deliveryHeaderNames as names, sampleData, testIdMark } from '@tradepost/contract/wire';
import type { KnownWebhookEvent, WebhookEvent } from '@tradepost/sdk/webhooks';
import { concatBytes } from '../../webhooks/raw-body';
import { type DeliveryEdgeCase, edgeCaseDelivery } from '../edge-case-delivery';
import { type DeliveryFault, invalidDelivery } from '../invalid-delivery';
import * as signing from '../sign-delivery';

const { encodeUtf8, signDelivery } = signing;

/** A request of the probe, byte for byte. */
export interface ProbeRequest {
  method?: 'GET';
  /** A header with several values is sent several times. */
  headers: Record<string, string | string[]>;
  body: Uint8Array;
  /** The body is sent in two writes, of which the second starts here. */
  splitAt?: number;
  /** Without `Content-Length`. */
  chunked?: true;
}

export type EventType = KnownWebhookEvent['event'];

/** What requests are made from. */
export interface Given {
  /** The type of event, if a case needs no other. */
  type: EventType | undefined;
  secret: string;
  nextSecret?: string | undefined;
  webhookId?: string | undefined;
}

/** Creates the request of a case, or its two requests. */
export type Make = (given: Given) => Promise<ProbeRequest | [ProbeRequest, ProbeRequest]>;

/** Creates an event whose IDs are new, and marked as those of a test event. */
export function testEvent(type: EventType = 'order.status_changed'): KnownWebhookEvent {
  const id = (prefix: string) => `${prefix}_${testIdMark}${signing.newEventId().slice(4)}`;
  const ids = {
    ...{ agentId: id('usr'), buyerId: id('usr'), sellerId: id('usr'), orderId: id('ord') },
    ...{ listingId: id('lst'), taskId: id('tsk'), webhookId: id('whk') },
  };
  const event = { event: type, createdAt: new Date().toISOString(), data: sampleData(ids)[type] };
  // TypeScript cannot infer that type and data belong together.
  return event as KnownWebhookEvent;
}

/** Signs an event as the service does, by a clock that is some seconds ahead. */
export const genuine =
  (own: EventType | null, seconds = 0): Make =>
  ({ secret, type }) =>
    signDelivery({ secret, event: testEvent(own ?? type), sentAt: Date.now() + seconds * 1_000 });

/** Signs an event that has other fields, or is written in another way. */
export const json =
  (change: (event: WebhookEvent) => object, write = (text: string) => text, indent = 0): Make =>
  ({ secret, type }) =>
    signDelivery({ secret, body: write(JSON.stringify(change(testEvent(type)), null, indent)) });

export const edge =
  (name: DeliveryEdgeCase): Make =>
  ({ secret, type }) =>
    edgeCaseDelivery(name, { secret, event: testEvent(type) });

export const fault =
  (name: DeliveryFault): Make =>
  ({ secret, type }) =>
    invalidDelivery(name, { secret, event: testEvent(type) });

/** Changes a genuine delivery after signing. */
export const changed =
  (change: (valid: signing.SignedDelivery) => Partial<ProbeRequest>): Make =>
  async ({ secret, type }) => {
    const valid = await signDelivery({ secret, event: testEvent(type) });
    return { ...valid, ...change(valid) };
  };

/** Sends characters of several bytes in two writes. */
export const split =
  (choose: (body: Uint8Array) => number): Make =>
  async ({ secret, type }) => {
    const valid = await edgeCaseDelivery('multibyte', { secret, event: testEvent(type) });
    return { ...valid, splitAt: choose(valid.body) };
  };

/** Writes the names of the headers in another way. */
export const renamed = (rename: (name: string) => string) =>
  changed(({ headers }) => {
    const lines = Object.entries(headers).map(([name, value]) => [rename(name), value]);
    return { headers: Object.fromEntries(lines) };
  });

/** Replaces both signatures of a genuine delivery. Without the second one, `webhook-signature` stays; without any, both go. */
export const signatures = (change: (hex: string, base64: string) => (string | string[])[]) =>
  changed(({ headers }) => {
    const { [names.signature]: hex = '', [names.webhookSignature]: v1 = '', ...rest } = headers;
    const [service, tag] = change(hex, v1.slice('v1,'.length));
    if (service === undefined) return { headers: rest };
    const standard = tag === undefined ? v1 : `v1,${tag}`;
    return {
      headers: { ...rest, [names.signature]: service, [names.webhookSignature]: standard },
    };
  });

type Bytes = Uint8Array<ArrayBuffer>;

interface Keys {
  /** The key of `Service-Signature`. */
  service: Bytes;
  /** The key of `webhook-signature`. */
  standard: Bytes;
  /** What is signed in place of the body. */
  signed?: Bytes;
}

/** Signs an event as a receiver with a certain mistake expects it. */
export const signedWith =
  (choose: (right: Keys, given: Given, event: WebhookEvent) => Keys): Make =>
  async (given) => {
    const { secret, type } = given;
    const event = testEvent(type);
    const { body, headers } = await signDelivery({ secret, event });
    const right = { service: encodeUtf8(secret), standard: decode(secret) };
    const keys = choose(right, given, event);
    const { signed = encodeUtf8(JSON.stringify(event)) } = keys;
    const head = encodeUtf8(`${headers[names.webhookId]}.${headers[names.webhookTimestamp]}.`);
    const tag = await signing.hmac(keys.standard, concatBytes([head, signed]));
    const both = {
      [names.signature]: signing.encodeHex(await signing.hmac(keys.service, signed)),
      [names.webhookSignature]: `v1,${signing.encodeBase64(tag)}`,
    };
    return { body, headers: { ...headers, ...both } };
  };

/** Returns the bytes that a secret contains as base64. */
export function decode(secret: string): Bytes {
  return signing.decodeBase64(secret.replace(/^whsec_/, '')) ?? Uint8Array.of(0);
}

/** Sends a delivery twice: it is signed anew, as the service signs another attempt that is some seconds later. */
export const twice =
  (seconds: number): Make =>
  async ({ secret, type }) => {
    const delivery = { secret, event: testEvent(type), id: signing.newEventId() };
    const sentAt = Date.now() - seconds * 1_000;
    return [await signDelivery({ ...delivery, sentAt }), await signDelivery(delivery)];
  };
