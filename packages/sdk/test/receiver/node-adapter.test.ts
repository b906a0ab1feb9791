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
async function respondTo(listener: RequestListener) {
  const host = await listening(listener);
  const received = await host.send(delivery);
  await host.stop();
  return received;
}

describe('a body that was already read', () => {
  test('by express.json() gets BODY_ALREADY_PARSED at once, so that the service retries', async () => {
    const { receiver, rejected, handled } = aReceiver();
    const app = express().use(express.json()).post('/webhooks', receiver.node);
    expect(await respondTo(app)).toMatchObject({ status: 500, body: 'BODY_ALREADY_PARSED' });
    expect(rejected).toEqual(['BODY_ALREADY_PARSED']);
    expect(handled).toEqual([]);
  });

  test('is rejected with the fix', async () => {
    const onVerificationError = vi.fn();
    const { receiver } = aReceiver({ onVerificationError });
    await respondTo(express().use(express.json()).post('/webhooks', receiver.node));
    expect(onVerificationError.mock.calls[0]?.[0].message).toContain(
      'In Express, add the route of the receiver before app.use(express.json())',
    );
  });

  test('and discarded gets a response at once, too', async () => {
    const { receiver } = aReceiver();
    const received = await respondTo(async (request, response) => {
      await request.toArray();
      receiver.node(request, response);
    });
    expect(received).toMatchObject({ status: 500, body: 'BODY_ALREADY_PARSED' });
  });

  test('and discarded in part gets a response at once, too', async () => {
    const { receiver } = aReceiver();
    const received = await respondTo(async (request, response) => {
      await once(request, 'readable');
      request.read(10);
      receiver.node(request, response);
    });
    expect(received).toMatchObject({ status: 500, body: 'BODY_ALREADY_PARSED' });
  });

  test('is handled if the verify function of express.json() kept its bytes', async () => {
    const { receiver, handled } = aReceiver();
    const keeping = express.json({
      verify: (request, _response, rawBody) => Object.assign(request, { rawBody }),
    });
    const received = await respondTo(express().use(keeping).post('/webhooks', receiver.node));
    expect(received.status).toBe(204);
    expect(handled).toEqual([anEvent]);
  });

  test('is handled if its text was kept in rawBody', async () => {
    const { receiver, handled } = aReceiver();
    await respondTo(async (request, response) => {
      const rawBody = (await request.toArray()).join('');
      await receiver.node(Object.assign(request, { rawBody }), response);
    });
    expect(handled).toEqual([anEvent]);
  });

  test('is not accessed if its property throws', async () => {
    const { receiver, handled } = aReceiver();
    await respondTo((request, response) => {
      Object.defineProperty(request, 'body', {
        get() {
          throw new SyntaxError('Invalid JSON');
        },
      });
      receiver.node(request, response);
    });
    expect(handled).toEqual([anEvent]);
  });

  test('gets BODY_ALREADY_PARSED if the request is not a stream', async () => {
    const { receiver, rejected } = aReceiver();
    const request = { method: 'POST', headers: delivery.headers } as unknown as NodeRequest;
    const response = { statusCode: 0, headersSent: false, setHeader: vi.fn(), end: vi.fn() };
    receiver.node(request, response);
    await vi.waitFor(() => expect(response.end).toHaveBeenCalledOnce());
    expect(response.statusCode).toBe(500);
    expect(rejected).toEqual(['BODY_ALREADY_PARSED']);
  });
});

describe('an unread body', () => {
  test('is read also when another parser skipped it, or decoded it to text', async () => {
    const { receiver, handled } = aReceiver();
    const passing = express.json({ type: 'text/json' });
    await respondTo(express().use(passing).post('/webhooks', receiver.node));
    await respondTo((request, response) => receiver.node(request.setEncoding('utf8'), response));
    expect(handled).toEqual([anEvent, anEvent]);
  });
});

describe('a response that throws', () => {
  test('is logged, because no host waits for a promise', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { receiver } = aReceiver();
    const failure = new Error('the connection is gone');
    const response = {
      statusCode: 0,
      headersSent: false,
      setHeader: () => {
        throw failure;
      },
      end: vi.fn(),
    };
    const request = { method: 'POST', headers: {} } as unknown as NodeRequest;
    expect(receiver.node(request, response)).toBeUndefined();
    await vi.waitFor(() => expect(logged).toHaveBeenCalledWith(expect.any(String), failure));
    logged.mockRestore();
  });
});

describe('in a chain of middleware', () => {
  test('the adapter never calls next', async () => {
    const { receiver } = aReceiver();
    const next = vi.fn();
    const { node } = receiver;
    const app = express().post('/webhooks', (request, response) => {
      const take: (...args: [typeof request, typeof response, unknown]) => void = node;
      take(request, response, next);
    });
    expect((await respondTo(app)).status).toBe(204);
    expect(next).not.toHaveBeenCalled();
  });

  test('the adapter does not change a response that was already sent', async () => {
    const { receiver, handle } = aReceiver();
    const received = await respondTo(async (request, response) => {
      handle.mockImplementationOnce(async () => {
        response.writeHead(504).end('too slow');
      });
      receiver.node(request, response);
    });
    expect(received).toMatchObject({ status: 504, body: 'too slow' });
  });
});
