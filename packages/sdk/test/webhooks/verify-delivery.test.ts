import { describe, expect, test } from 'vitest';
import {
  type VerifyWebhookOptions,
  verifyDelivery,
  verifyDeliverySync,
  verifyWebhook,
} from '../../src/webhooks/index';
import { aDelivery, anEvent, aPlainDelivery, secret, sentAt } from '../helpers/a-delivery';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

describe.each([
  ['verifyDelivery', verifyDelivery],
  [
    'verifyDeliverySync',
    async (options: Parameters<typeof verifyDeliverySync>[0]) => verifyDeliverySync(options),
  ],
])('%s', (_, verify) => {
  const now = sentAt;

  test('returns the event, its signed ID, and when it was signed', async () => {
    const { payload, headers } = aDelivery({ id: 'evt_7' });
    expect(await verify({ payload, headers, secret, now })).toEqual({
      event: anEvent,
      id: 'evt_7',
      sentAt: new Date(sentAt),
      signature: headers['service-signature'],
      secretIndex: 0,
      test: false,
      sequence: null,
      orderVersion: null,
    });
  });

  test('returns no ID that is not signed', async () => {
    const { payload, headers } = aPlainDelivery();
    const unsigned = { ...headers, 'webhook-id': 'evt_forged' };
    const delivery = await verify({ payload, headers: unsigned, secret });
    expect(delivery.id).toBeNull();
    expect(delivery.sentAt).toBeNull();
  });

  test('returns which secret matched, counted over secret and then secrets', async () => {
    const secrets = [secret, otherSecret];
    const ours = aDelivery();
    const theirs = aDelivery({ key: otherSecret });
    expect((await verify({ ...ours, secrets, now })).secretIndex).toBe(0);
    expect((await verify({ ...theirs, secrets, now })).secretIndex).toBe(1);
    expect((await verify({ ...theirs, secret, secrets: [otherSecret], now })).secretIndex).toBe(1);
  });

  test('rejects a body of more than maxBytes before hashing it', async () => {
    const { payload, headers } = aDelivery();
    const fits = { payload, headers, secret, now, maxBytes: payload.length };
    expect((await verify(fits)).event).toEqual(anEvent);
    const tooLong = verify({ ...fits, maxBytes: payload.length - 1 });
    await expect(tooLong).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    await expect(tooLong).rejects.toThrow('raise maxBytes');
    const large = { payload: 'x'.repeat(1_048_577), headers, secret, now };
    await expect(verify(large)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  });
});

describe('a web Request as payload', () => {
  const { payload, headers } = aDelivery();
  const url = 'https://receiver.example/';
  const aRequest = (init: RequestInit = {}) =>
    new Request(url, { method: 'POST', headers, body: payload, ...init });
  const verify = (request: Request, more: Partial<VerifyWebhookOptions> = {}) =>
    verifyWebhook({ payload: request, secret, now: sentAt, ...more });

  test('supplies body and headers', async () => {
    expect(await verify(aRequest())).toEqual(anEvent);
  });

  test('may be combined with headers that replace its own', async () => {
    const bare = aRequest({ headers: {} });
    expect(await verify(bare, { headers })).toEqual(anEvent);
  });

  test('that was already read is rejected at once, with the fix', async () => {
    const request = aRequest();
    await request.json();
    const verification = verify(request);
    await expect(verification).rejects.toMatchObject({ code: 'BODY_ALREADY_PARSED' });
    await expect(verification).rejects.toThrow('a Request that was already read');
  });

  test('that another reader has started to read is rejected, too', async () => {
    const request = aRequest();
    request.body?.getReader();
    await expect(verify(request)).rejects.toMatchObject({ code: 'BODY_ALREADY_PARSED' });
  });

  test('supplies its headers also when headers is undefined', async () => {
    expect(await verify(aRequest(), { headers: undefined })).toEqual(anEvent);
  });

  test('without a body is rejected', async () => {
    const request = aRequest({ body: null });
    await expect(verify(request, { diagnose: false })).rejects.toMatchObject({
      code: 'SIGNATURE_MISMATCH',
    });
  });

  test('is read no further than maxBytes, however long its body is, and the connection stays open for the response', async () => {
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_024));
      },
      cancel() {
        cancelled = true;
      },
    });
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    };
    const endless = new Request(url, init);
    await expect(verify(endless, { maxBytes: 4_096 })).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
    });
    expect(pulled).toBeLessThan(10);
    expect(cancelled).toBe(false);
  });

  test('that announces more than maxBytes is not read at all', async () => {
    const announced = aRequest({ headers: { ...headers, 'content-length': '2000000' } });
    await expect(verify(announced)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    expect(announced.bodyUsed).toBe(false);
  });

  test('whose body breaks off fails with the cause', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('the line went dead'));
      },
    });
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    };
    await expect(verify(new Request(url, init))).rejects.toThrow('the line went dead');
  });
});
