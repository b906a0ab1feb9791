import { aLeasedDelivery, noon } from '@tradepost/domain/test/builders';
import { createEndpointSecret } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import {
  deliveryHeaders,
  signBody,
  signStandard,
} from '../../../src/engine/attempt/delivery-headers';
import { version } from '../../../src/kernel/version';

const seconds = noon / 1_000;

describe('the headers of an attempt', () => {
  test('have its time in whole seconds', () => {
    const delivery = aLeasedDelivery();
    const { eventId, secret, body } = delivery;
    expect(deliveryHeaders(delivery, noon + 999)).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': `Tradepost/${version}`,
      'Service-Signature': signBody(secret, body),
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signStandard(secret, eventId, seconds, body),
    });
  });

  test('sign with both secrets while one is staged, the current one first', () => {
    const delivery = aLeasedDelivery({ stagedSecret: createEndpointSecret() });
    const { eventId, secret, stagedSecret, body } = delivery;
    const headers = deliveryHeaders(delivery, noon);
    expect(headers['Service-Signature']).toBe(signBody(secret, body));
    expect(headers['webhook-signature']?.split(' ')).toEqual([
      signStandard(secret, eventId, seconds, body),
      signStandard(stagedSecret ?? '', eventId, seconds, body),
    ]);
  });

  test('have the position of the event, signed by each secret', () => {
    const position = { sequence: 12, orderVersion: 3 };
    const delivery = aLeasedDelivery({ ...position, stagedSecret: createEndpointSecret() });
    const { eventId, secret, stagedSecret, body } = delivery;
    const message = `${eventId}.${seconds}.sequence=12, orderVersion=3.${body}`;
    expect(deliveryHeaders(delivery, noon)).toMatchObject({
      'Tradepost-Position': 'sequence=12, orderVersion=3',
      'Tradepost-Position-Signature': `${signBody(secret, message)} ${signBody(stagedSecret ?? '', message)}`,
    });
    const aboutListing = deliveryHeaders(aLeasedDelivery({ sequence: 12 }), noon);
    expect(aboutListing['Tradepost-Position']).toBe('sequence=12');
    expect(aboutListing['Tradepost-Position-Signature']).toMatch(/^[0-9a-f]{64}$/);
  });

  test('mark a test event', () => {
    const headers = deliveryHeaders(aLeasedDelivery({ test: true }), noon);
    expect(headers['Tradepost-Test']).toBe('true');
  });
});
