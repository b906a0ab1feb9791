import { describe, expect, test } from 'vitest';
import {
  deliveryEdgeCases,
  deliveryFaults,
  edgeCaseDelivery,
  invalidDelivery,
  type SignedDelivery,
  sampleEvent,
  exampleSecret as secret,
  signDelivery,
} from '../../src/testing/index';
import {
  eventTypes,
  type VerifyWebhookOptions,
  verifyDelivery,
  WebhookVerificationError,
} from '../../src/webhooks/index';

const now = Date.parse('2026-11-21T09:30:00.000Z');

async function getCode(
  { body, headers }: SignedDelivery,
  options: Partial<VerifyWebhookOptions> = {},
): Promise<string> {
  try {
    await verifyDelivery({ payload: body, headers, secret, now, ...options });
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

describe.each(deliveryFaults)('the invalid delivery %s', (fault) => {
  test('is rejected with its expectedCode, with diagnosis and without', async () => {
    const delivery = await invalidDelivery(fault, { secret, now });
    expect(delivery.fault).toBe(fault);
    expect(await getCode(delivery)).toBe(delivery.expectedCode);
    expect(await getCode(delivery, { diagnose: false })).toBe(delivery.productionCode);
  });

  test.each(eventTypes)('has the right expectedCode for an event %s, too', async (kind) => {
    const delivery = await invalidDelivery(fault, { secret, now, event: sampleEvent(kind) });
    expect(await getCode(delivery)).toBe(delivery.expectedCode);
  });

  test("uses the receiver's own limits", async () => {
    const limits = { tolerance: 5, maxBytes: 300 };
    const delivery = await invalidDelivery(fault, { secret, now, ...limits });
    const code = await getCode(delivery, limits);
    // The indentation makes it larger than the limit.
    expect(fault === 'reserialized' ? delivery.expectedCode : code).toBe(delivery.expectedCode);
  });
});

describe.each(deliveryEdgeCases)('the edge case %s', (edgeCase) => {
  test('is accepted', async () => {
    const delivery = await edgeCaseDelivery(edgeCase, { secret, sentAt: now });
    expect(await getCode(delivery)).toBe('accepted');
  });

  test('is accepted where requireTimestamp is set, unless it has no timestamp', async () => {
    const delivery = await edgeCaseDelivery(edgeCase, { secret, sentAt: now });
    const expected = edgeCase === 'plain' ? 'MISSING_HEADER' : 'accepted';
    expect(await getCode(delivery, { requireTimestamp: true })).toBe(expected);
  });
});

describe('an invalid delivery', () => {
  test('is signed for now by default, like a valid one', async () => {
    const sound = await signDelivery({ event: sampleEvent('order.created'), secret });
    const stale = await invalidDelivery('stale', { secret });
    expect(await getCode(sound, { now: undefined })).toBe('accepted');
    expect(await getCode(stale, { now: undefined })).toBe('TIMESTAMP_TOO_OLD');
  });

  test('does not change the given event', async () => {
    const event = sampleEvent('order.created');
    for (const fault of deliveryFaults) await invalidDelivery(fault, { secret, event });
    expect(event).toEqual(sampleEvent('order.created'));
  });
});
