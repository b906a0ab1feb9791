import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import * as schemas from 'zod';
import { anOrder } from '../../../../../test/helpers/an-order';
import { createReadTools } from '../../../src/commands/mcp/read-tools';
import { BareService } from '../../helpers/minimal-service';

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
