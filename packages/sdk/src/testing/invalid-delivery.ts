import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import type { WebhookEvent, WebhookVerificationErrorCode } from '@tradepost/sdk/webhooks';
import { concatBytes } from '../webhooks/raw-body';
import { sampleEvent } from './sample-event';
import {
  createSignedDelivery,
  encodeUtf8,
  type SignedDelivery,
  signDelivery,
} from './sign-delivery';

type Code = WebhookVerificationErrorCode;

/** Options of `invalidDelivery`. */
export interface InvalidDeliveryOptions {
  /** The secret of the receiver: `whsec_` and base64. */
  secret: string;
  /** The event of the delivery. @default a sample of `order.status_changed` */
  event?: WebhookEvent | undefined;
  /** ID of the event, for `webhook-id`. @default a random ID */
  id?: string | undefined;
  /** The current time of the receiver: a date or milliseconds since 1970. @default Date.now() */
  now?: Date | number | undefined;
  /** The receiver's `tolerance`, in seconds. @default 300 */
  tolerance?: number | undefined;
  /** The receiver's `maxBytes`. @default 1_048_576 */
  maxBytes?: number | undefined;
}

/** The input of a fault. */
interface FaultContext {
  secret: string;
  id: string | undefined;
  now: number;
  tolerance: number;
  maxBytes: number;
  /** The envelope as the service serializes it. */
  envelope: WebhookEvent;
  /** The valid delivery. */
  valid: SignedDelivery;
}

/** A fault: how to create it and how verification rejects it. */
interface Fault {
  /** The code without diagnosis, as in production. */
  code: Code;
  /** The code with diagnosis, if it differs. */
  diagnosed?: Code;
  /** Creates the delivery. */
  make(context: FaultContext): SignedDelivery | Promise<SignedDelivery>;
}

const faults = {
  /** Changed in transit. Diagnosis takes it for one that another secret signed. */
  tampered: {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'WRONG_SECRET',
    make: ({ valid, envelope }) =>
      withBody(valid, JSON.stringify({ ...envelope, data: { ...envelope.data, tampered: true } })),
  },
  /** Truncated in transit. */
  truncated: {
    code: 'SIGNATURE_MISMATCH',
    make: ({ valid }) => withBody(valid, valid.body.slice(0, -1)),
  },
  /** Signed, but sent without a body. */
  empty: { code: 'SIGNATURE_MISMATCH', make: ({ valid }) => withBody(valid, '') },
  /** With a byte order mark that was added after signing. */
  bom: {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'BODY_RESERIALIZED',
    make: ({ valid }) => withBody(valid, concatBytes([encodeUtf8('\ufeff'), valid.body])),
  },
  /** Parsed and serialized with indents after signing. */
  reserialized: {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'BODY_RESERIALIZED',
    make: ({ valid, envelope }) => withBody(valid, JSON.stringify(envelope, null, 2)),
  },
  /** Signed with the secret of another webhook. */
  'wrong-secret': {
    code: 'SIGNATURE_MISMATCH',
    diagnosed: 'WRONG_SECRET',
    make: ({ envelope, id, now }) =>
      signDelivery({ event: envelope, secret: `whsec_${'Zm9y'.repeat(10)}Z28=`, id, sentAt: now }),
  },
  /** Without `Service-Signature`, but otherwise signed correctly. */
  unsigned: {
    code: 'MISSING_SIGNATURE',
    make: ({ valid }) => withHeader(valid, names.signature, null),
  },
  /** With the prefix `sha256=` before the signature, which other services use. */
  'malformed-signature': {
    code: 'MALFORMED_SIGNATURE',
    make: ({ valid }) =>
      withHeader(valid, names.signature, `sha256=${valid.headers[names.signature]}`),
  },
  /** With the correct signature in upper case: the service uses lower case. */
  'uppercase-signature': {
    code: 'MALFORMED_SIGNATURE',
    make: ({ valid }) =>
      withHeader(valid, names.signature, String(valid.headers[names.signature]).toUpperCase()),
  },
  /** Without `webhook-id`, which `webhook-signature` covers. */
  'missing-header': {
    code: 'MISSING_HEADER',
    make: ({ valid }) => withHeader(valid, names.webhookId, null),
  },
  /** With a timestamp that is not a number of seconds. */
  'malformed-timestamp': {
    code: 'MALFORMED_TIMESTAMP',
    make: ({ valid }) => withHeader(valid, names.webhookTimestamp, 'yesterday'),
  },
  /** A replay with the ID of another event. */
  'another-id': {
    code: 'SIGNATURE_MISMATCH',
    make: ({ valid }) => withHeader(valid, names.webhookId, 'evt_another'),
  },
  /** A replay with a new timestamp. */
  'another-time': {
    code: 'SIGNATURE_MISMATCH',
    make: async ({ valid, now }) =>
      withHeader(valid, names.webhookTimestamp, String(Math.floor(now / 1_000) + 1)),
  },
  /** Signed one minute longer ago than `tolerance` allows, like a replay. */
  stale: {
    code: 'TIMESTAMP_TOO_OLD',
    make: ({ envelope, secret, id, now, tolerance }) =>
      signDelivery({ event: envelope, secret, id, sentAt: now - (tolerance + 60) * 1_000 }),
  },
  /** Signed one minute further in the future than `tolerance` allows. */
  future: {
    code: 'TIMESTAMP_TOO_NEW',
    make: ({ envelope, secret, id, now, tolerance }) =>
      signDelivery({ event: envelope, secret, id, sentAt: now + (tolerance + 60) * 1_000 }),
  },
  /** Signed, but without the field `event`. */
  'missing-event': {
    code: 'MISSING_EVENT',
    make: ({ envelope: { createdAt, data }, ...context }) => signed(context, { createdAt, data }),
  },
  /** Signed, but with the event type in a field `type`. */
  'type-for-event': {
    code: 'MISSING_EVENT',
    make: ({ envelope: { event, createdAt, data }, ...context }) =>
      signed(context, { type: event, createdAt, data }),
  },
  /** Signed, but not JSON. */
  'not-json': {
    code: 'MALFORMED_BODY',
    make: ({ secret, id, now }) =>
      signDelivery({ body: '<event>order.created</event>', secret, id, sentAt: now }),
  },
  /** Signed, but a list of events instead of one. */
  list: {
    code: 'MALFORMED_BODY',
    make: ({ envelope, ...context }) => signed(context, [envelope]),
  },
  /** Signed, but one byte larger than `maxBytes`. */
  'too-large': {
    code: 'BODY_TOO_LARGE',
    make: ({ valid, secret, id, now, maxBytes }) => {
      const body = new Uint8Array(Math.max(maxBytes + 1, valid.body.length)).fill(0x20);
      body.set(valid.body);
      return signDelivery({ body, secret, id, sentAt: now });
    },
  },
} as const satisfies Record<string, Fault>;

/** The name of a fault. */
export type DeliveryFault = keyof typeof faults;

/** Every fault that `invalidDelivery` creates: iterate over them in the tests of your receiver. */
export const deliveryFaults = Object.keys(faults) as readonly DeliveryFault[];

/** A delivery that a receiver must reject, and how. */
export interface InvalidDelivery extends SignedDelivery {
  /** The fault of the delivery. */
  fault: DeliveryFault;
  /** The error code with diagnosis, which is the default in development. */
  expectedCode: WebhookVerificationErrorCode;
  /** The error code without diagnosis, which is the default when `NODE_ENV` is `production`. */
  productionCode: WebhookVerificationErrorCode;
  /** The status that `webhookReceiver` responds with. */
  expectedStatus: 400 | 413;
}

/**
 * Creates a delivery with a common fault.
 *
 * @throws {TypeError} when the secret is not base64 after `whsec_`.
 * @example
 * test.each(deliveryFaults)('the receiver rejects a delivery that is %s', async (fault) => {
 *   const delivery = await invalidDelivery(fault, { secret });
 *   const response = await receiver.fetch(delivery.toRequest('https://receiver.example'));
 *   expect(response.status).toBe(delivery.expectedStatus);
 * });
 */
export async function invalidDelivery(
  fault: DeliveryFault,
  options: InvalidDeliveryOptions,
): Promise<InvalidDelivery> {
  const { secret, id, tolerance = 300, maxBytes = 1_048_576 } = options;
  const { event, createdAt, data } = options.event ?? sampleEvent('order.status_changed');
  const envelope = { event, createdAt, data } as WebhookEvent;
  const now = Number(options.now ?? Date.now());
  const valid = await signDelivery({ event: envelope, secret, id, sentAt: now });
  const { code, diagnosed = code, make }: Fault = faults[fault];
  const delivery = await make({ secret, id, now, tolerance, maxBytes, envelope, valid });
  return {
    ...delivery,
    fault,
    expectedCode: diagnosed,
    productionCode: code,
    expectedStatus: code === 'BODY_TOO_LARGE' ? 413 : 400,
  };
}

function signed({ secret, id, now }: Omit<FaultContext, 'envelope'>, json: unknown) {
  return signDelivery({ body: JSON.stringify(json), secret, id, sentAt: now });
}

function withBody({ headers }: SignedDelivery, body: string | Uint8Array<ArrayBuffer>) {
  return createSignedDelivery(typeof body === 'string' ? encodeUtf8(body) : body, headers);
}

function withHeader({ body, headers }: SignedDelivery, name: string, value: string | null) {
  const { [name]: _, ...others } = headers;
  return createSignedDelivery(body, value === null ? others : { ...others, [name]: value });
}
