import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import express from 'express';
import { describe, expect, test, vi } from 'vitest';
import type { NodeRequest } from '../../src/receiver/node-adapter';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { now } from '../helpers/receiver/limits';
import { listening } from '../helpers/receiver/listening';
import { anEvent } from '../helpers/receiver/send';

const delivery = await signDelivery({ event: anEvent, secret, sentAt: now });

/** Serves one test, and sends the delivery once. */
async function answerOf(listener: RequestListener) {
  const host = await listening(listener);
  const answered = await host.send(delivery);
  await host.stop();
  return answered;
}

describe('a body that was already read', () => {
  test('by express.json() is answered at once with BODY_ALREADY_PARSED, so that it comes again', async () => {
    const { receiver, refused, handled } = aReceiver();
    const app = express().use(express.json()).post('/webhooks', receiver.node);
    expect(await answerOf(app)).toMatchObject({ status: 500, body: 'BODY_ALREADY_PARSED' });
    expect(refused).toEqual(['BODY_ALREADY_PARSED']);
    expect(handled).toEqual([]);
  });

  test('is rejected with the fix', async () => {
    const onVerificationError = vi.fn();
    const { receiver } = aReceiver({ onVerificationError });
    await answerOf(express().use(express.json()).post('/webhooks', receiver.node));
    expect(onVerificationError.mock.calls[0]?.[0].message).toContain(
      'In Express, put express.raw(',
    );
  });

  test('and thrown away is answered at once, too', async () => {
    const { receiver } = aReceiver();
    const answered = await answerOf(async (request, response) => {
      await request.toArray();
      await receiver.node(request, response);
    });
    expect(answered).toMatchObject({ status: 500, body: 'BODY_ALREADY_PARSED' });
  });

  test('and half of it thrown away is answered at once, too', async () => {
    const { receiver } = aReceiver();
    const answered = await answerOf(async (request, response) => {
      await once(request, 'readable');
      request.read(10);
      await receiver.node(request, response);
    });
    expect(answered).toMatchObject({ status: 500, body: 'BODY_ALREADY_PARSED' });
  });

  test('and its bytes kept by the verify function of express.json() is handled', async () => {
    const { receiver, handled } = aReceiver();
    const keeping = express.json({
      verify: (request, _response, rawBody) => Object.assign(request, { rawBody }),
    });
    const answered = await answerOf(express().use(keeping).post('/webhooks', receiver.node));
    expect(answered.status).toBe(204);
    expect(handled).toEqual([anEvent]);
  });

  test('and its text kept in rawBody is handled', async () => {
    const { receiver, handled } = aReceiver();
    await answerOf(async (request, response) => {
      const rawBody = (await request.toArray()).join('');
      await receiver.node(Object.assign(request, { rawBody }), response);
    });
    expect(handled).toEqual([anEvent]);
  });

  test('is no reason to touch a body that throws when it is asked for', async () => {
    const { receiver, handled } = aReceiver();
    await answerOf((request, response) => {
      Object.defineProperty(request, 'body', {
        get() {
          throw new SyntaxError('Invalid JSON');
        },
      });
      return receiver.node(request, response);
    });
    expect(handled).toEqual([anEvent]);
  });

  test('by what is no stream at all is answered with BODY_ALREADY_PARSED', async () => {
    const { receiver, refused } = aReceiver();
    const request = { method: 'POST', headers: delivery.headers } as unknown as NodeRequest;
    const end = vi.fn();
    const response = { statusCode: 0, headersSent: false, setHeader: vi.fn(), end };
    await receiver.node(request, response);
    expect(response.statusCode).toBe(500);
    expect(refused).toEqual(['BODY_ALREADY_PARSED']);
  });
});

describe('an unread body', () => {
  test('is read also when another parser passed it over, or made text of it', async () => {
    const { receiver, handled } = aReceiver();
    const passing = express.json({ type: 'text/json' });
    await answerOf(express().use(passing).post('/webhooks', receiver.node));
    await answerOf((request, response) => receiver.node(request.setEncoding('utf8'), response));
    expect(handled).toEqual([anEvent, anEvent]);
  });
});

describe('in a chain of middleware', () => {
  test('next is never called', async () => {
    const { receiver } = aReceiver();
    const next = vi.fn();
    const { node } = receiver;
    const app = express().post('/webhooks', (request, response) => {
      const take: (...args: [typeof request, typeof response, unknown]) => Promise<void> = node;
      return take(request, response, next);
    });
    expect((await answerOf(app)).status).toBe(204);
    expect(next).not.toHaveBeenCalled();
  });

  test('a response that was already sent is not changed', async () => {
    const { receiver, handle } = aReceiver();
    const answered = await answerOf(async (request, response) => {
      handle.mockImplementationOnce(async () => {
        response.writeHead(504).end('too slow');
      });
      await receiver.node(request, response);
    });
    expect(answered).toMatchObject({ status: 504, body: 'too slow' });
  });
});
