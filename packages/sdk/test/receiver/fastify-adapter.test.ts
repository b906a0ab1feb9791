import fastify from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { maxBytes, now } from '../helpers/receiver/limits';
import { anEvent } from '../helpers/receiver/send';

const { headers, body } = await signDelivery({ event: anEvent, secret, sentAt: now });
const payload = Buffer.from(body);
const sent = { method: 'POST', headers, payload } as const;

describe('the Fastify plugin', () => {
  test.each([
    [{ url: '/webhooks' }, '/webhooks'],
    [{ prefix: '/webhooks' }, '/webhooks'],
    [{ prefix: '/hooks', url: '/trade' }, '/hooks/trade'],
    [{}, '/'],
  ])('with %o listens on %s', async (options, url) => {
    const { receiver, handled } = aReceiver();
    const app = fastify();
    await app.register(receiver.fastify, options);
    expect((await app.inject({ ...sent, url })).statusCode).toBe(204);
    expect(handled).toEqual([anEvent]);
    expect((await app.inject({ ...sent, url: '/elsewhere' })).statusCode).toBe(404);
    await app.close();
  });

  test('reads the raw body whatever parsers the application has, and does not change them', async () => {
    const { receiver, handled } = aReceiver();
    const app = fastify({ bodyLimit: 5 });
    const parse = vi.fn(async () => ({ parsed: true }));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', parse);
    app.post('/orders', async (request) => request.body);
    await app.register(receiver.fastify, { url: '/webhooks' });
    expect((await app.inject({ ...sent, url: '/webhooks' })).statusCode).toBe(204);
    expect(handled).toEqual([anEvent]);
    expect(parse).not.toHaveBeenCalled();
    const order = await app.inject({
      method: 'POST',
      url: '/orders',
      headers: { 'content-type': 'a/b' },
      payload: '1',
    });
    expect(order.json()).toEqual({ parsed: true });
    await app.close();
  });

  test.each(['', 'text/html', 'no type'])('accepts any content type: %s', async (type) => {
    const { receiver } = aReceiver();
    const app = fastify();
    await app.register(receiver.fastify, { url: '/webhooks' });
    const typed = { ...headers, 'Content-Type': type };
    expect((await app.inject({ ...sent, headers: typed, url: '/webhooks' })).statusCode).toBe(204);
    await app.close();
  });

  test("runs the application's hooks on the request and on the response", async () => {
    const { receiver } = aReceiver();
    const app = fastify();
    const hook = vi.fn(async () => undefined);
    app.addHook('onRequest', hook);
    app.addHook('onSend', hook);
    app.addHook('onResponse', hook);
    await app.register(receiver.fastify, { url: '/webhooks' });
    await app.inject({ ...sent, url: '/webhooks' });
    expect(hook).toHaveBeenCalledTimes(3);
    await app.close();
  });

  test('responds to a body that is too large, and keeps the connection', async () => {
    const { receiver } = aReceiver();
    const app = fastify();
    await app.register(receiver.fastify, { url: '/webhooks' });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const large = new Uint8Array(50 * maxBytes);
    const response = await fetch(`${address}/webhooks`, { method: 'POST', headers, body: large });
    expect(response.status).toBe(413);
    expect(response.headers.get('connection')).toBe('keep-alive');
    expect(await response.text()).toBe('BODY_TOO_LARGE');
    await app.close();
  });
});
