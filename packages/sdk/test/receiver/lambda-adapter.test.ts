import { describe, expect, test, vi } from 'vitest';
import type { LambdaEvent } from '../../src/receiver/lambda-adapter';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { type LambdaShape, lambdaEvents } from '../helpers/receiver/lambda-events';
import { now } from '../helpers/receiver/limits';
import { anEvent } from '../helpers/receiver/send';

const delivery = await signDelivery({ event: anEvent, secret, sentAt: now });
const event: LambdaEvent = lambdaEvents['API Gateway v2'](delivery);

describe('a function', () => {
  test.each<[LambdaShape, boolean]>([
    ['API Gateway v1', true],
    ['API Gateway v2', false],
    ['a load balancer', false],
    ['a load balancer with lists of headers', true],
    ['a function URL', false],
  ])('behind %s answers in its form', async (shape, hasLists) => {
    const { receiver } = aReceiver();
    const answered = await receiver.lambda(lambdaEvents[shape]({ ...delivery, method: 'GET' }));
    expect(answered).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'POST' },
      isBase64Encoded: false,
    });
    expect('multiValueHeaders' in answered).toBe(hasLists);
    if (hasLists) expect(answered.multiValueHeaders?.Allow).toEqual(['POST']);
  });

  test('does the work before it responds, whatever background says', async () => {
    const background = vi.fn();
    const { receiver, handled, handle } = aReceiver({ background });
    expect((await receiver.lambda(event)).statusCode).toBe(204);
    expect(handled).toEqual([anEvent]);
    handle.mockRejectedValueOnce(new Error('no database'));
    expect((await receiver.lambda(event)).statusCode).toBe(500);
    expect(background).not.toHaveBeenCalled();
  });

  test.each<[string, object]>([
    ['was parsed', { body: { event: 'order.created' }, isBase64Encoded: false }],
    ['is said to be base64 and is not', { body: '{}' }],
  ])('says BODY_ALREADY_PARSED when the body %s', async (_what, changes) => {
    const { receiver, refused } = aReceiver();
    const changed = { ...event, ...changes } as LambdaEvent;
    expect(await receiver.lambda(changed)).toMatchObject({
      statusCode: 500,
      body: 'BODY_ALREADY_PARSED',
    });
    expect(refused).toEqual(['BODY_ALREADY_PARSED']);
  });

  test.each<[string, object]>([
    ['no headers', { headers: undefined }],
    ['null for headers', { headers: null, multiValueHeaders: null }],
    ['no body', { body: undefined }],
    ['null for a body', { body: null }],
  ])('responds with 400 to an event that has %s', async (_what, changes) => {
    const { receiver } = aReceiver();
    const changed = { ...event, ...changes } as LambdaEvent;
    expect((await receiver.lambda(changed)).statusCode).toBe(400);
  });

  test.each([[{}], [{ requestContext: null }], [{ requestContext: { http: null } }]])(
    'answers 405 to what is no request: %o',
    async (odd) => {
      expect((await aReceiver().receiver.lambda(odd)).statusCode).toBe(405);
    },
  );

  test('that is called with nothing at all answers all the same', async () => {
    const nothing = null as unknown as LambdaEvent;
    expect((await aReceiver().receiver.lambda(nothing)).statusCode).toBe(405);
  });

  test('counts the bytes of a body that came as text, not its characters', async () => {
    const wide = { ...anEvent, data: { ...anEvent.data, note: '✓'.repeat(100) } };
    const signed = await signDelivery({ event: wide, secret, sentAt: now });
    const text = lambdaEvents['API Gateway v2'](signed);
    const maxBytes = signed.body.length;
    expect((await aReceiver({ maxBytes }).receiver.lambda(text)).statusCode).toBe(204);
    const tight = aReceiver({ maxBytes: maxBytes - 1 }).receiver;
    expect(await tight.lambda(text)).toMatchObject({ statusCode: 413 });
  });

  test('rejects a repeated signature header', async () => {
    const { receiver } = aReceiver();
    const signature = delivery.headers['Service-Signature'] ?? '';
    const twice = { 'service-signature': [signature, signature] };
    const answered = await receiver.lambda({ ...event, headers: {}, multiValueHeaders: twice });
    expect(answered).toMatchObject({ statusCode: 400, body: 'MALFORMED_SIGNATURE' });
  });
});
