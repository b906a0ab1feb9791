import { describe, expect, test, vi } from 'vitest';
import type { LambdaEvent } from '../../src/receiver/lambda-adapter';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { type LambdaShape, lambdaEvents } from '../helpers/receiver/lambda-events';
import { now } from '../helpers/receiver/limits';
import { anEvent } from '../helpers/receiver/send';

const delivery = await signDelivery({ event: anEvent, secret, sentAt: now });
const event: LambdaEvent = lambdaEvents['API Gateway v2'](delivery);

describe('the adapter for Lambda', () => {
  test.each<[LambdaShape, boolean]>([
    ['API Gateway v1', true],
    ['API Gateway v2', false],
    ['a load balancer', false],
    ['a load balancer with lists of headers', true],
    ['a function URL', false],
  ])('responds to %s in its format', async (shape, hasLists) => {
    const { receiver } = aReceiver();
    const received = await receiver.lambda(lambdaEvents[shape]({ ...delivery, method: 'GET' }));
    expect(received).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'POST' },
      isBase64Encoded: false,
    });
    expect('multiValueHeaders' in received).toBe(hasLists);
    if (hasLists) expect(received.multiValueHeaders?.Allow).toEqual(['POST']);
  });

  test('does the work before it responds, whatever the background option is', async () => {
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
  ])('responds with BODY_ALREADY_PARSED when the body %s', async (_what, changes) => {
    const { receiver, rejected } = aReceiver();
    const changed = { ...event, ...changes } as LambdaEvent;
    expect(await receiver.lambda(changed)).toMatchObject({
      statusCode: 500,
      body: 'BODY_ALREADY_PARSED',
    });
    expect(rejected).toEqual(['BODY_ALREADY_PARSED']);
  });

  test('explains a body in base64 whose isBase64Encoded was lost on the way', async () => {
    const onVerificationError = vi.fn();
    const { receiver } = aReceiver({ diagnose: true, onVerificationError });
    const lost = { ...event, isBase64Encoded: undefined };
    expect(await receiver.lambda(lost)).toMatchObject({
      statusCode: 400,
      body: 'BODY_RESERIALIZED',
    });
    expect(onVerificationError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        message: expect.stringMatching(/base64: in AWS Lambda, isBase64Encoded .* a proxy/),
      }),
    );
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
    'responds with 405 to an event that is not a request: %o',
    async (odd) => {
      expect((await aReceiver().receiver.lambda(odd)).statusCode).toBe(405);
    },
  );

  test('responds even if it is called without an event', async () => {
    const nothing = null as unknown as LambdaEvent;
    expect((await aReceiver().receiver.lambda(nothing)).statusCode).toBe(405);
  });

  test('counts the bytes of a text body, not its characters', async () => {
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
    const received = await receiver.lambda({ ...event, headers: {}, multiValueHeaders: twice });
    expect(received).toMatchObject({ statusCode: 400, body: 'MALFORMED_SIGNATURE' });
  });
});
