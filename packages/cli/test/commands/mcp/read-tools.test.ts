import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import * as schemas from 'zod';
import { anOrder } from '../../../../../test/helpers/an-order';
import { createReadTools } from '../../../src/commands/mcp/read-tools';
import { aNotification, BareService } from '../../helpers/minimal-service';

/** Calls `list_orders` of a service that looks for one status of the name that it gets. */
async function listOrders(args: Record<string, unknown>) {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1', status: 'pending' })];
  const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
  const tool = createReadTools(client, { ...schemas, oneOf: schemas.enum }).find(
    ({ name }) => name === 'list_orders',
  );
  return await tool?.run(args, { signal: new AbortController().signal });
}

describe('list_orders with a service that takes one status', () => {
  it('says that it does not find orders of several', async () => {
    await expect(listOrders({ status: ['pending', 'confirmed'] })).rejects.toThrow(
      'The service did not find orders in several statuses, although there are some',
    );
  });

  it('is empty if there are none', async () => {
    const page = await listOrders({ status: ['completed', 'confirmed'] });
    expect(page).toMatchObject({ data: [] });
  });

  it('finds orders of one status', async () => {
    expect(await listOrders({ status: 'pending' })).toMatchObject({ data: [{ id: 'ord_1' }] });
    expect(await listOrders({ status: ['pending'] })).toMatchObject({ data: [{ id: 'ord_1' }] });
  });
});

const orderId = 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH';
const createdAt = '2026-11-21T09:30:00.000Z';
const created = { id: 'evt_1', event: 'order.created', createdAt, data: { orderId } };
const low = {
  id: 'evt_2',
  event: 'listing.availability_low',
  createdAt,
  data: { listingId: 'lst_1' },
};

/** Calls the tool `list_events` at a service that ignores `orderId`. */
async function listEvents(events: readonly object[], args: Record<string, unknown>) {
  const service = await BareService.start();
  service.instead = () => ({ status: 200, body: { data: events, nextCursor: 'end' } });
  const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
  const tools = createReadTools(client, { ...schemas, oneOf: schemas.enum });
  const tool = tools.find(({ name }) => name === 'list_events');
  const { signal } = new AbortController();
  return await tool?.run(args, { signal });
}

describe('list_events of mcp', () => {
  it.each([
    ['orderId', { orderId: 'ord_other' }],
    ['id', { id: 'ord_other' }],
  ])('fails with orderId if an event names another order as %s', async (_, data) => {
    const other = { ...created, id: 'evt_3', data };
    await expect(listEvents([created, other], { orderId })).rejects.toThrow(
      'The service does not select the events of one order',
    );
    expect(await listEvents([created, other], {})).toMatchObject({ data: [created, other] });
  });

  it.each([
    ['limit', { limit: 1 }],
    ['after', { after: 'evt_1' }],
    ['since', { since: createdAt }],
  ])('returns a page without the event of the creation, with orderId and %s', async (_, more) => {
    const task = { ...low, id: 'evt_4', event: 'task.completed', data: { taskId: 'tsk_1' } };
    for (const event of [low, task]) {
      expect(await listEvents([event], { orderId, ...more })).toMatchObject({
        data: [event],
        nextCursor: 'end',
      });
    }
  });

  it('returns all events of a page with orderId', async () => {
    expect(await listEvents([created, low], { orderId })).toMatchObject({ data: [created, low] });
  });
});

describe('list_notifications of mcp', () => {
  it.each([false, true])(
    'returns unread ones of a service without the filter, which it rejects: %s',
    async (isStrict) => {
      const service = await BareService.start();
      service.isStrict = isStrict;
      service.notifications = [
        aNotification({ id: 'ntf_2', read: true }),
        aNotification({ id: 'ntf_1' }),
      ];
      const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
      const tools = createReadTools(client, { ...schemas, oneOf: schemas.enum });
      const tool = tools.find(({ name }) => name === 'list_notifications');
      const { signal } = new AbortController();
      expect(await tool?.run({ unread: true }, { signal })).toMatchObject({
        data: [{ id: 'ntf_1' }],
      });
    },
  );
});

it.each(['list_orders', 'list_notifications'])(
  '%s returns no more than its limit, and says what is left out',
  async (name) => {
    const service = await BareService.start();
    service.orders = ['ord_3', 'ord_2', 'ord_1'].map((id) => anOrder({ id }));
    service.notifications = ['ntf_3', 'ntf_2', 'ntf_1'].map((id) => aNotification({ id }));
    const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
    const tools = createReadTools(client, { ...schemas, oneOf: schemas.enum });
    const tool = tools.find((one) => one.name === name);
    const { signal } = new AbortController();
    const page = await tool?.run({ limit: 2 }, { signal });
    expect(page).toMatchObject({
      data: [{ id: expect.stringMatching(/_3$/) }, { id: expect.stringMatching(/_2$/) }],
      note: 'These are the first 2 of 3 items: select fewer, or set a larger limit.',
    });
    expect(await tool?.run({ limit: 3 }, { signal })).not.toHaveProperty('note');
    // The next page begins after what is cut off.
    const data = [anOrder({ id: 'ord_2' }), anOrder({ id: 'ord_1' })];
    service.instead = () => ({ status: 200, body: { data, nextCursor: 'next' } });
    expect(await tool?.run({ limit: 1 }, { signal })).toEqual({ data, nextCursor: 'next' });
  },
);

it('list_orders fails if the first page has an ignored sort by chance', async () => {
  const service = await BareService.start();
  const data = [anOrder({ id: 'ord_2' }), anOrder({ id: 'ord_1' })];
  service.instead = () => ({ status: 200, body: { data, nextCursor: 'next' } });
  const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
  const tools = createReadTools(client, { ...schemas, oneOf: schemas.enum });
  const tool = tools.find(({ name }) => name === 'list_orders');
  const { signal } = new AbortController();
  await expect(tool?.run({ sort: '-updatedAt', limit: 2 }, { signal })).rejects.toThrow(
    'The service did not sort the orders by updatedAt',
  );
  expect(service.seen.map(({ query }) => query)).toEqual([
    { sort: '-updatedAt', limit: '2' },
    { sort: 'updatedAt', limit: '2' },
  ]);
});

it.each([
  ['list_orders', {}],
  ['get_order', { id: 'ord_1' }],
])('%s fails with names if the service ignores the request for them', async (name, args) => {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1' })];
  const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
  const tools = createReadTools(client, { ...schemas, oneOf: schemas.enum });
  const tool = tools.find((one) => one.name === name);
  const { signal } = new AbortController();
  await expect(tool?.run({ ...args, names: true }, { signal })).rejects.toThrow(
    'The service returned an order without names',
  );
});
