import { describe, expectTypeOf, test } from 'vitest';
import {
  type DeliveryFault,
  invalidDelivery,
  type SignedDelivery,
  sampleEvent,
  signDelivery,
} from '../../src/testing/index';
import type { EventOf, WebhookVerificationErrorCode } from '../../src/webhooks/index';

const secret = 'whsec_x';

describe('sampleEvent', () => {
  test('has the requested event type, and takes data of that type only', () => {
    expectTypeOf(sampleEvent('order.created')).toEqualTypeOf<EventOf<'order.created'>>();
    sampleEvent('listing.availability_low', { data: { availableQuantity: 1 } });
    // @ts-expect-error another kind has that
    sampleEvent('listing.availability_low', { data: { orderId: 'ord_1' } });
    // @ts-expect-error there is no such kind
    sampleEvent('order.exploded');
  });
});

describe('signDelivery', () => {
  test('takes an event of any type, or a body, and exactly one of them', () => {
    const event = { event: 'order.exploded', createdAt: '', data: {} };
    expectTypeOf(signDelivery({ event, secret })).resolves.toEqualTypeOf<SignedDelivery>();
    expectTypeOf(
      signDelivery({ body: new Uint8Array(), secret }),
    ).resolves.toEqualTypeOf<SignedDelivery>();
    // @ts-expect-error one of them is signed
    expectTypeOf(signDelivery({ event, body: '', secret })).toBeObject();
    // @ts-expect-error one of them is signed
    expectTypeOf(signDelivery({ secret })).toBeObject();
  });

  test('returns the arguments of fetch', () => {
    expectTypeOf<SignedDelivery['init']>().toExtend<RequestInit>();
  });
});

describe('invalidDelivery', () => {
  test('takes a known fault, and has a code of verification', async () => {
    expectTypeOf<'tampered'>().toExtend<DeliveryFault>();
    expectTypeOf<'fine'>().not.toExtend<DeliveryFault>();
    const { expectedCode } = await invalidDelivery('tampered', { secret });
    expectTypeOf(expectedCode).toEqualTypeOf<WebhookVerificationErrorCode>();
  });
});
