import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import { joined } from '../webhooks/joined';
import type { WebhookEvent } from '../webhooks/webhook-event';
import type { WebhookVerificationErrorCode } from '../webhooks/webhook-verification-error';
import { utf8Of } from './bytes';
import { sampleEvent } from './sample-event';
import { signDelivery } from './sign-delivery';
import { deliveryOf, type SignedDelivery } from './signed-delivery';

type Code = WebhookVerificationErrorCode;

/** What `faultyDelivery` needs to know. */
export interface FaultyDeliveryOptions {
  /** The secret that the receiver has: `whsec_` and base64. */
  secret: string;
  /** The event that goes wrong on its way. A sample of `order.status_changed` unless told. */
  event?: WebhookEvent | undefined;
  /** The event's id, for `webhook-id`. A new one at each call unless told. */
  id?: string | undefined;
  /** The receiver's time: a date or milliseconds since 1970. Now unless told. */
  now?: Date | number | undefined;
  /** The receiver's `tolerance`, in seconds: 300 unless told. */
  tolerance?: number | undefined;
  /** The receiver's `maxBytes`: 1,048,576 unless told. */
  maxBytes?: number | undefined;
}

/** What a fault is made from. */
interface Setting {
  secret: string;
  id: string | undefined;
  now: number;
  tolerance: number;
  maxBytes: number;
  /** The envelope as the service writes it. */
  envelope: WebhookEvent;
  /** The delivery as it should have been. */
  sound: SignedDelivery;
}

/** One fault: how it is made and what verification says to it. */
interface Fault {
  /** The code without diagnosis, as in production. */
  code: Code;
  /** The code with diagnosis, where that is another one. */
  diagnosed?: Code;
  /** Makes the delivery. */
  make(setting: Setting): SignedDelivery | Promise<SignedDelivery>;
}

const faults = {
  /** Changed on its way. To diagnosis it looks like one that another secret signed. */
  tampered: {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'WRONG_SECRET',
    make: ({ sound, envelope }) =>
      withBody(sound, JSON.stringify({ ...envelope, data: { ...envelope.data, tampered: true } })),
  },
  /** Cut off on its way. */
  truncated: {
    code: 'SIGNATURE_MISMATCH',
    make: ({ sound }) => withBody(sound, sound.body.slice(0, -1)),
  },
  /** Signed, and then sent without a body. */
  empty: { code: 'SIGNATURE_MISMATCH', make: ({ sound }) => withBody(sound, '') },
  /** Given a byte order mark after it was signed. */
  bom: {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'BODY_RESERIALIZED',
    make: ({ sound }) => withBody(sound, joined([utf8Of('\ufeff'), sound.body])),
  },
  /** Parsed and printed with indents after it was signed. */
  reserialized: {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'BODY_RESERIALIZED',
    make: ({ sound, envelope }) => withBody(sound, JSON.stringify(envelope, null, 2)),
  },
  /** Signed with the secret of another webhook. */
  'wrong-secret': {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'WRONG_SECRET',
    make: ({ envelope, id, now }) =>
      signDelivery({ event: envelope, secret: `whsec_${'Zm9y'.repeat(10)}Z28=`, id, sentAt: now }),
  },
  /** Without `Service-Signature`, however well the rest is signed. */
  unsigned: {
    code: 'MISSING_SIGNATURE',
    make: ({ sound }) => withHeader(sound, names.signature, null),
  },
  /** With `sha256=` before the signature, as other services have it. */
  'malformed-signature': {
    code: 'MALFORMED_SIGNATURE',
    make: ({ sound }) =>
      withHeader(sound, names.signature, `sha256=${sound.headers[names.signature]}`),
  },
  /** With the right signature in capitals: the service writes lowercase. */
  'uppercase-signature': {
    code: 'MALFORMED_SIGNATURE',
    make: ({ sound }) =>
      withHeader(sound, names.signature, String(sound.headers[names.signature]).toUpperCase()),
  },
  /** Without `webhook-id`, which `webhook-signature` covers. */
  'missing-header': {
    code: 'MISSING_HEADER',
    make: ({ sound }) => withHeader(sound, names.webhookId, null),
  },
  /** With a time that is no number of seconds. */
  'malformed-timestamp': {
    code: 'MALFORMED_TIMESTAMP',
    make: ({ sound }) => withHeader(sound, names.webhookTimestamp, 'yesterday'),
  },
  /** Captured, and sent again as if it were another event. */
  'another-id': {
    code: 'SIGNATURE_MISMATCH',
    make: ({ sound }) => withHeader(sound, names.webhookId, 'evt_another'),
  },
  /** Captured, and sent again as if it were new. */
  'another-time': {
    code: 'SIGNATURE_MISMATCH',
    make: async ({ sound, now }) =>
      withHeader(sound, names.webhookTimestamp, String(Math.floor(now / 1_000) + 1)),
  },
  /** Signed a minute longer ago than `tolerance` allows: perhaps a replay. */
  stale: {
    code: 'TIMESTAMP_TOO_OLD',
    make: ({ envelope, secret, id, now, tolerance }) =>
      signDelivery({ event: envelope, secret, id, sentAt: now - (tolerance + 60) * 1_000 }),
  },
  /** Signed a minute further in the future than `tolerance` allows. */
  future: {
    code: 'TIMESTAMP_TOO_NEW',
    make: ({ envelope, secret, id, now, tolerance }) =>
      signDelivery({ event: envelope, secret, id, sentAt: now + (tolerance + 60) * 1_000 }),
  },
  /** Signed, without the field `event`. */
  'missing-event': {
    code: 'MISSING_EVENT',
    make: ({ envelope: { createdAt, data }, ...setting }) => signed(setting, { createdAt, data }),
  },
  /** Signed, with the kind in a field `type`. */
  'type-for-event': {
    code: 'MISSING_EVENT',
    make: ({ envelope: { event, createdAt, data }, ...setting }) =>
      signed(setting, { type: event, createdAt, data }),
  },
  /** Signed, and not JSON. */
  'not-json': {
    code: 'MALFORMED_BODY',
    make: ({ secret, id, now }) =>
      signDelivery({ body: '<event>order.created</event>', secret, id, sentAt: now }),
  },
  /** Signed, and a list of events instead of one. */
  list: {
    code: 'MALFORMED_BODY',
    make: ({ envelope, ...setting }) => signed(setting, [envelope]),
  },
  /** Signed, and one byte larger than `maxBytes`. */
  'too-large': {
    code: 'BODY_TOO_LARGE',
    make: ({ sound, secret, id, now, maxBytes }) => {
      const body = new Uint8Array(Math.max(maxBytes + 1, sound.body.length)).fill(0x20);
      body.set(sound.body);
      return signDelivery({ body, secret, id, sentAt: now });
    },
  },
} as const satisfies Record<string, Fault>;

/** A way in which a delivery goes wrong. */
export type DeliveryFault = keyof typeof faults;

/** Every fault that `faultyDelivery` makes: loop over them in your receiver's test. */
export const deliveryFaults = Object.keys(faults) as readonly DeliveryFault[];

/** A delivery that a receiver must refuse, and with what. */
export interface FaultyDelivery extends SignedDelivery {
  /** What is wrong with it. */
  fault: DeliveryFault;
  /** The code that verification refuses it with, diagnosis being on: so it is unless told. */
  expectedCode: WebhookVerificationErrorCode;
  /** The code without diagnosis: so it is where `NODE_ENV` is `production`. */
  productionCode: WebhookVerificationErrorCode;
  /** The status that `webhookReceiver` answers it with. */
  expectedStatus: 400 | 413;
}

/**
 * Makes a delivery that went wrong in one of the usual ways.
 *
 * @throws {TypeError} when the secret is not base64 after `whsec_`.
 * @example
 * test.each(deliveryFaults)('refuses a delivery that is %s', async (fault) => {
 *   const delivery = await faultyDelivery(fault, { secret });
 *   const response = await receiver.fetch(delivery.toRequest('https://receiver.example'));
 *   expect(response.status).toBe(delivery.expectedStatus);
 * });
 */
export async function faultyDelivery(
  fault: DeliveryFault,
  options: FaultyDeliveryOptions,
): Promise<FaultyDelivery> {
  const { secret, id, tolerance = 300, maxBytes = 1_048_576 } = options;
  const { event, createdAt, data } = options.event ?? sampleEvent('order.status_changed');
  const envelope = { event, createdAt, data } as WebhookEvent;
  const now = Number(options.now ?? Date.now());
  const sound = await signDelivery({ event: envelope, secret, id, sentAt: now });
  const { code, diagnosed = code, make }: Fault = faults[fault];
  const delivery = await make({ secret, id, now, tolerance, maxBytes, envelope, sound });
  return {
    ...delivery,
    fault,
    expectedCode: diagnosed,
    productionCode: code,
    expectedStatus: code === 'BODY_TOO_LARGE' ? 413 : 400,
  };
}

function signed({ secret, id, now }: Omit<Setting, 'envelope'>, json: unknown) {
  return signDelivery({ body: JSON.stringify(json), secret, id, sentAt: now });
}

function withBody({ headers }: SignedDelivery, body: string | Uint8Array<ArrayBuffer>) {
  return deliveryOf(typeof body === 'string' ? utf8Of(body) : body, headers);
}

function withHeader({ body, headers }: SignedDelivery, name: string, value: string | null) {
  const { [name]: _, ...others } = headers;
  return deliveryOf(body, value === null ? others : { ...others, [name]: value });
}
