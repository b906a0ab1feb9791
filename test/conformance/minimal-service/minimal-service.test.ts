import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startHttpReceiver } from '../../helpers/start-receiver';
import { type MinimalServiceOptions, startMinimalService } from './start';

/** Starts a service. `send` returns the status of a response and its `data`. */
async function start(options: MinimalServiceOptions = {}) {
  const service = await forTest(startMinimalService(options));
  const { buyer, seller, agent, stranger } = service.accounts;
  const send = async (account: { key: string }, request: string, body?: object) => {
    const [method = '', path = ''] = request.split(' ');
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, data: JSON.parse(await response.text()).data };
  };
  const create = (listingId: string) =>
    send(buyer, 'POST /v1/orders', { listingId, quantity: 3 }).then(({ data }) => data);
  return { service, buyer, seller, agent, stranger, send, create };
}

test('the service creates, lists, returns and updates orders of their parties', async () => {
  const { service, buyer, agent, stranger, send, create } = await start();
  const order = await create(service.listings.withAgent);
  expect(order).toMatchObject({ status: 'pending', buyerId: buyer.id, agentId: agent.id });
  expect((await send(agent, 'GET /v1/orders?status=pending')).data).toEqual([order]);
  expect((await send(stranger, 'GET /v1/orders')).data).toEqual([]);

  const path = `/v1/orders/${order.id}`;
  expect((await send(buyer, `PATCH ${path}`, { status: 'fulfilling' })).status).toBe(403);
  expect((await send(stranger, `GET ${path}`)).status).toBe(404);
  expect((await send({ key: 'unknown' }, `GET ${path}`)).status).toBe(401);
  const { data } = await send(agent, `PATCH ${path}`, { status: 'fulfilling' });
  expect(data.status).toBe('fulfilling');
  expect((await send(buyer, `GET ${path}`)).data).toEqual(data);
});

test('the service notifies the parties, and marks what they have read', async () => {
  const { service, buyer, seller, stranger, send, create } = await start();
  const { id } = await create(service.listings.plain);
  await send(seller, `PATCH /v1/orders/${id}`, { status: 'fulfilling' });
  const [notification] = (await send(buyer, 'GET /v1/notifications')).data;
  expect(notification).toMatchObject({ orderId: id, type: 'order_status_changed', read: false });

  const path = `/v1/notifications/${notification.id}`;
  expect((await send(stranger, `PATCH ${path}`, { read: true })).status).toBe(404);
  expect((await send(buyer, `PATCH ${path}`, { read: true })).data.read).toBe(true);
});

test('the service signs a delivery and repeats it until a 2xx', async () => {
  const { service, seller, send, create } = await start({ baseDelayMs: 1 });
  const receiver = await forTest(
    startHttpReceiver((response, number) => response.writeHead(number < 3 ? 500 : 204).end()),
  );
  const body = { url: receiver.url, events: ['order.status_changed'] };
  const { data: webhook } = await send(seller, 'POST /v1/webhooks', body);
  const { id } = await create(service.listings.plain);
  await send(seller, `PATCH /v1/orders/${id}`, { status: 'fulfilling' });

  const [first, ...retries] = await receiver.until(({ length }) => length === 3);
  const signature = createHmac('sha256', webhook.secret)
    .update(first?.body ?? '')
    .digest('hex');
  expect(first?.headers['service-signature']).toBe(signature);
  expect(retries.map((retry) => retry.body)).toEqual([first?.body, first?.body]);
});
