import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import { joined } from '../webhooks/joined';
import { utf8Of } from './bytes';
import { sampleEvent } from './sample-event';
import { type SigningOptions, signDelivery, standardSignature } from './sign-delivery';
import { deliveryOf, type SignedDelivery } from './signed-delivery';

/** How a delivery is signed, whose form is not a test's choice. */
type Signing = Omit<SigningOptions, 'standard'>;

const event = sampleEvent('order.status_changed');

function withNote(note: string) {
  return { ...event, data: { ...event.data, note } };
}

const oddities = {
  /** Signed with the byte order mark that it begins with. */
  bom: (signing) =>
    signDelivery({ ...signing, body: joined([utf8Of('\ufeff'), utf8Of(JSON.stringify(event))]) }),
  /** With bytes in a text that are not UTF-8. */
  'invalid-utf-8': (signing) => {
    const [head = '', tail = ''] = JSON.stringify(withNote('?')).split('?');
    const body = joined([utf8Of(head), Uint8Array.of(0xff, 0xc3), utf8Of(tail)]);
    return signDelivery({ ...signing, body });
  },
  /** With characters of two, three and four bytes. */
  multibyte: (signing) => signDelivery({ ...signing, event: withNote('ü ✓ 🚢') }),
  /** Written with indents, and signed so. */
  indented: (signing) => signDelivery({ ...signing, body: JSON.stringify(event, null, 2) }),
  /** With fields that this version does not know. */
  'unknown-fields': (signing) =>
    signDelivery({ ...signing, event: { ...withNote('new'), refused: 'no', type: 'other' } }),
  /** With `Service-Signature` alone, from a service that has only the interface. */
  plain: (signing) => signDelivery({ ...signing, event, standard: false }),
  /** With a second `webhook-signature`, as while a new secret is staged. */
  'staged-secret': async (signing) => {
    const { body, headers } = await signDelivery({ ...signing, event });
    const { [names.webhookId]: id = '', [names.webhookTimestamp]: seconds = '' } = headers;
    const staged = await standardSignature('whsec_c3RhZ2Vk', id, seconds, body);
    const signatures = `${staged} ${headers[names.webhookSignature]}`;
    return deliveryOf(body, { ...headers, [names.webhookSignature]: signatures });
  },
} as const satisfies Record<string, (signing: Signing) => Promise<SignedDelivery>>;

/** A way in which a delivery is unusual and still right. */
export type DeliveryOddity = keyof typeof oddities;

/** Every oddity that `unusualDelivery` makes. */
export const deliveryOddities = Object.keys(oddities) as readonly DeliveryOddity[];

/**
 * Makes a delivery of `order.status_changed` that a receiver must accept, though it is unusual:
 * verification hashes bytes, never decoded text. `plain` is refused where `requireTimestamp` is set.
 *
 * @throws {TypeError} when the secret is not base64 after `whsec_`.
 */
export async function unusualDelivery(
  oddity: DeliveryOddity,
  options: Signing,
): Promise<SignedDelivery> {
  return oddities[oddity](options);
}
