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
  return await tool?.run({ limit: 20, ...args }, { signal: new AbortController().signal });
}

describe('list_orders with a service of seven endpoints', () => {
  it('finds orders of one status and of several', async () => {
    const found = { data: [{ id: 'ord_1' }] };
    expect(await listOrders({ status: 'pending' })).toMatchObject(found);
    expect(await listOrders({ status: ['pending'] })).toMatchObject(found);
    expect(await listOrders({ status: ['pending', 'confirmed'] })).toMatchObject(found);
    expect(await listOrders({ status: ['completed', 'confirmed'] })).toMatchObject({ data: [] });
  });

  it.each([
    ['sort', { sort: '-updatedAt' }, 'orders.sort'],
    ['names', { names: true }, 'orders.expand'],
  ])('fails with %s', async (name, args, extension) => {
    await expect(listOrders(args)).rejects.toThrow(
      `${name} needs the extension ${extension} of the API, which this service does not have`,
    );
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
      expect(await tool?.run({ unread: true, limit: 20 }, { signal })).toMatchObject({
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
