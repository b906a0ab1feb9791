import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import type { WebhookEvent } from '@tradepost/sdk/webhooks';
import { concatBytes } from '../webhooks/raw-body';
import { sampleEvent } from './sample-event';
import {
  createSignedDelivery,
  encodeUtf8,
  type SignedDelivery,
  type SigningOptions,
  signDelivery,
  standardSignature,
} from './sign-delivery';

/** Options of a signature whose `standard` is determined by the edge case. */
export type Signing = Omit<SigningOptions, 'standard'>;

type Make = (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;

function withNote(event: WebhookEvent, note: string) {
  return { ...event, data: { ...event.data, note } };
}

const edgeCases = {
  /** Signed, with a byte order mark at the start. */
  bom: (signing, event) =>
    signDelivery({
      ...signing,
      body: concatBytes([encodeUtf8('\ufeff'), encodeUtf8(JSON.stringify(event))]),
    }),
  /** With a text that is not valid UTF-8. */
  'invalid-utf-8': (signing, event) => {
    const [head = '', tail = ''] = JSON.stringify(withNote(event, '?')).split('?');
    const body = concatBytes([encodeUtf8(head), Uint8Array.of(0xff, 0xc3), encodeUtf8(tail)]);
    return signDelivery({ ...signing, body });
  },
  /** With characters of two, three and four bytes. */
  multibyte: (signing, event) => signDelivery({ ...signing, event: withNote(event, 'ü ✓ 🚢') }),
  /** Signed as indented JSON. */
  indented: (signing, event) => signDelivery({ ...signing, body: JSON.stringify(event, null, 2) }),
  /** With fields that this version does not know. */
  'unknown-fields': (signing, event) =>
    signDelivery({
      ...signing,
      event: { ...withNote(event, 'new'), rejected: 'no', type: 'other' },
    }),
  /** With only `Service-Signature`, from a service without extensions. */
  plain: (signing, event) => signDelivery({ ...signing, event, standard: false }),
  /** With two signatures in `webhook-signature`, as while a new secret is staged. */
  'staged-secret': async (signing, event) => {
    const { body, headers } = await signDelivery({ ...signing, event });
    const { [names.webhookId]: id = '', [names.webhookTimestamp]: seconds = '' } = headers;
    const staged = await standardSignature('whsec_c3RhZ2Vk', id, seconds, body);
    const signatures = `${staged} ${headers[names.webhookSignature]}`;
    return createSignedDelivery(body, { ...headers, [names.webhookSignature]: signatures });
  },
} as const satisfies Record<string, Make>;

/** The name of an edge case: an unusual but valid delivery. */
export type DeliveryEdgeCase = keyof typeof edgeCases;

/** Every edge case that `edgeCaseDelivery` creates. */
export const deliveryEdgeCases = Object.keys(edgeCases) as readonly DeliveryEdgeCase[];

/** Options of `edgeCaseDelivery`. */
export interface EdgeCaseOptions extends Signing {
  /** The event of the delivery. @default a sample of `order.status_changed` */
  event?: WebhookEvent | undefined;
}

/**
 * Creates an unusual but valid delivery, which a receiver must accept:
 * verification hashes bytes, never decoded text. With `requireTimestamp`, a receiver rejects `plain`.
 *
 * @throws {TypeError} when the secret is not base64 after `whsec_`.
 */
export async function edgeCaseDelivery(
  edgeCase: DeliveryEdgeCase,
  { event = sampleEvent('order.status_changed'), ...signing }: EdgeCaseOptions,
): Promise<SignedDelivery> {
  return edgeCases[edgeCase](signing, event);
}
