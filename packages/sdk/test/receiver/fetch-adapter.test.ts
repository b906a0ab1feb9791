import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { maxDiscardedBytes } from '../../src/receiver/discard';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { maxBytes, now } from '../helpers/receiver/limits';
import { bridge, listening } from '../helpers/receiver/listening';
import { anEvent, aRequest } from '../helpers/receiver/send';

const url = 'https://receiver.example/webhooks';
const { headers, body } = await signDelivery({ event: anEvent, secret, sentAt: now });

function aStreamedRequest(stream: ReadableStream): Request {
  return new Request(url, { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit);
}

describe('a Request', () => {
  test('whose body was read gets BODY_ALREADY_PARSED', async () => {
    const { receiver, rejected } = aReceiver();
    const request = await aRequest();
    await request.json();
    const response = await receiver.fetch(request);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('BODY_ALREADY_PARSED');
    expect(rejected).toEqual(['BODY_ALREADY_PARSED']);
  });

  test('whose body another reader is reading gets BODY_ALREADY_PARSED', async () => {
    const { receiver, rejected } = aReceiver();
    const request = await aRequest();
    const reader = request.body?.getReader();
    expect((await receiver.fetch(request)).status).toBe(500);
    expect(rejected).toEqual(['BODY_ALREADY_PARSED']);
    await reader?.cancel();
  });

  test('in Hono after context.req.json() gets BODY_ALREADY_PARSED', async () => {
    const { receiver } = aReceiver();
    const app = new Hono().post('/webhooks', async (context) => {
      await context.req.json();
      return receiver.fetch(context.req.raw);
    });
    expect((await app.request(await aRequest())).status).toBe(500);
  });

  test('that is a clone is handled', async () => {
    const { receiver, handled } = aReceiver();
    const request = await aRequest();
    expect((await receiver.fetch(request.clone())).status).toBe(204);
    expect(await request.json()).toEqual(anEvent);
    expect(handled).toEqual([anEvent]);
  });

  test('without a body has an empty one', async () => {
    const { receiver, rejected } = aReceiver();
    expect((await receiver.fetch(new Request(url, { method: 'POST' }))).status).toBe(400);
    expect(rejected).toEqual(['MISSING_SIGNATURE']);
  });

  test('whose body arrives in pieces is handled', async () => {
    const { receiver, handled } = aReceiver();
    const bytes = [...body];
    const stream = new ReadableStream({
      pull(controller) {
        const byte = bytes.shift();
        if (byte === undefined) controller.close();
        else controller.enqueue(Uint8Array.of(byte));
      },
    });
    expect((await receiver.fetch(aStreamedRequest(stream))).status).toBe(204);
    expect(handled).toEqual([anEvent]);
  });

  test('whose body breaks off reaches no handler and is not rejected', async () => {
    const { receiver, handled, rejected } = aReceiver();
    const stream = new ReadableStream({
      pull: (controller) => controller.error(new Error('connection lost')),
    });
    const response = await receiver.fetch(aStreamedRequest(stream));
    expect(response.status).toBe(400);
    expect([handled, rejected]).toEqual([[], []]);
  });

  test('whose body never ends is read to a limit and rejected, and its connection is closed', async () => {
    const { receiver, rejected } = aReceiver();
    let pulled = 0;
    const stream = new ReadableStream({
      pull(controller) {
        pulled += 1_024;
        controller.enqueue(new Uint8Array(1_024));
      },
    });
    const response = await receiver.fetch(aStreamedRequest(stream));
    expect(response.status).toBe(413);
    expect(response.headers.get('connection')).toBe('close');
    expect(rejected).toEqual(['BODY_TOO_LARGE']);
    expect(pulled).toBeGreaterThan(maxDiscardedBytes);
    expect(pulled).toBeLessThan(maxDiscardedBytes + 10 * maxBytes);
  });

  test('with a Content-Length that is too large is read to its end and rejected', async () => {
    const { receiver } = aReceiver();
    const request = new Request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(maxBytes + 1) },
      body,
    });
    const response = await receiver.fetch(request);
    expect(response.status).toBe(413);
    expect(request.bodyUsed).toBe(true);
    expect(response.headers.get('connection')).toBeNull();
  });

  test('whose sender stops gets its response, and its connection is closed', async () => {
    const { receiver } = aReceiver();
    const stream = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(maxBytes + 1)),
    });
    const response = await receiver.fetch(aStreamedRequest(stream));
    expect([response.status, response.headers.get('connection')]).toEqual([413, 'close']);
  });

  test('whose host rejects the size of the body gets 413 too, as in SvelteKit', async () => {
    const { receiver, rejected } = aReceiver();
    const stream = new ReadableStream({
      pull: (controller) =>
        controller.error(Object.assign(new Error('too large'), { status: 413 })),
    });
    expect((await receiver.fetch(aStreamedRequest(stream))).status).toBe(413);
    expect(rejected).toEqual(['BODY_TOO_LARGE']);
  });

  test('keeps the connection of a request whose body was read, or that has none', async () => {
    const { receiver } = aReceiver();
    for (const request of [await aRequest(), new Request(url)]) {
      expect((await receiver.fetch(request)).headers.get('connection')).toBeNull();
    }
  });

  test('over a real server gets 413 when it is too large', async () => {
    const { receiver } = aReceiver();
    const host = await listening(bridge(receiver.fetch));
    const chunked = { ...headers, 'Transfer-Encoding': 'chunked' };
    const large = await signDelivery({ body: new Uint8Array(50_000), secret, sentAt: now });
    const received = await host.send({ headers: chunked, body: large.body });
    expect(received).toMatchObject({ status: 413, body: 'BODY_TOO_LARGE' });
    await host.stop();
  });
});
