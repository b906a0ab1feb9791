import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { createOutputs } from '../../../src/commands/mcp/outputs';
import { createReadTools } from '../../../src/commands/mcp/read-tools';
import { formatToolHint } from '../../../src/commands/mcp/tool-hints';
import { toHint } from '../../../src/commands/webhooks/action-hint';
import * as protocol from '../../../src/lazy/mcp';
import { aNotification, BareService } from '../../helpers/minimal-service';

/** Finds a tool that asks a service. */
function findTool(service: BareService, name: string) {
  const client = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
  const outputs = createOutputs(protocol);
  const box = { client, protocol, outputs, now: Date.now, offered: new Set<string>() };
  return createReadTools(box).find((tool) => tool.name === name);
}

/** Calls `list_orders` of a service that looks for one status of the name that it gets. */
async function listOrders(args: Record<string, unknown>) {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1', status: 'pending' })];
  const tool = findTool(service, 'list_orders');
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
      const tool = findTool(service, 'list_notifications');
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
    const tool = findTool(service, name);
    const { signal } = new AbortController();
    const page = await tool?.run({ limit: 2 }, { signal });
    expect(page).toMatchObject({
      data: [{ id: expect.stringMatching(/_3$/) }, { id: expect.stringMatching(/_2$/) }],
      note: 'These are the first 2 of 3 items: select fewer, or set a larger limit.',
    });
    expect(await tool?.run({ limit: 3 }, { signal })).not.toHaveProperty('note');
    // The next page begins after what is cut off, so it is not offered.
    const data = [anOrder({ id: 'ord_2' }), anOrder({ id: 'ord_1' })];
    service.instead = () => ({ status: 200, body: { data, nextCursor: 'next' } });
    expect(await tool?.run({ limit: 1 }, { signal })).toEqual({
      data: data.slice(0, 1),
      nextCursor: null,
      note: 'These are the first 1 of 2 items: select fewer, or set a larger limit.',
    });
  },
);

it('whoami has no account of a service that does not report it', async () => {
  const service = await BareService.start();
  const tool = findTool(service, 'whoami');
  const found = await tool?.run({}, { signal: new AbortController().signal });
  expect(found).toEqual({ account: null });
  expect(tool?.output.parse(found)).toEqual(found);
});

it('to send all that is pending is said in the terms of tools', () => {
  const hint = toHint({
    type: 'retry',
    webhookId: 'whk_1',
    text: 'Then send all that is pending.',
  });
  expect(formatToolHint(hint, new Set(['plan_replay']))).toBe(
    'Then send all that is pending: call plan_replay with state pending and webhookId whk_1.',
  );
  expect(formatToolHint(hint, new Set())).toBeNull();
});
