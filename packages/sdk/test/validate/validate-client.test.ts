import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { Tradepost } from '../../src/index';
import { validateResponses } from '../../src/validate/index';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, type Step, scriptedService } from '../helpers/scripted-service';

/** Creates a client that validates the responses of a service with these steps. */
async function aCheckingClient(...steps: Step[]) {
  const service = await scriptedService(...steps);
  const tradepost = new Tradepost({
    baseUrl: service.baseUrl,
    apiKey: 'tpk_test',
    maxRetries: 0,
    validate: validateResponses,
  });
  return { service, tradepost };
}

describe('a client with the validate option', () => {
  test('returns valid responses, with unknown fields', async () => {
    const order = { ...anOrder(), colour: 'green' };
    const { tradepost } = await aCheckingClient(json(200, { data: order }));
    expect(await tradepost.orders.get('ord_1')).toEqual(order);
  });

  test('reports what is invalid in a response, and where', async () => {
    const order = { ...anOrder(), status: 'lost', sellerId: undefined };
    const { service, tradepost } = await aCheckingClient(json(200, { data: order }));
    const error = await catchTradepostError(tradepost.orders.get('ord_1'));
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      code: 'contract_mismatch',
      status: 200,
      errors: [
        {
          path: 'data.status',
          message: 'must be one of pending, confirmed, fulfilling, completed, cancelled',
        },
        {
          path: 'data.sellerId',
          message: 'is missing: must be an account ID (usr_<id>)',
        },
      ],
    });
    expect(error.message).toContain('data.status must be one of');
    expect(service.seen).toHaveLength(1);
  });

  test('checks each page of a list, and treats one without a cursor as the last', async () => {
    const { service, tradepost } = await aCheckingClient(
      json(200, { data: [anOrder({ id: 'ord_1' })], nextCursor: 'a' }),
      json(200, { data: [anOrder({ id: 'ord_2' })] }),
    );
    const ids: string[] = [];
    for await (const { id } of tradepost.orders.list()) ids.push(id);
    expect(ids).toEqual(['ord_1', 'ord_2']);
    expect(service.seen).toHaveLength(2);
  });

  test('identifies a route by its template, whatever ID is in the path', async () => {
    const { tradepost } = await aCheckingClient(json(202, { data: anOrder() }));
    const error = await catchTradepostError(tradepost.orders.get('a/b c'));
    expect(error.message).toContain('status must be 200 for GET /v1/orders/:id');
  });

  test('does not change an error response', async () => {
    const { tradepost } = await aCheckingClient(problem(404, 'order_not_found'));
    expect(await catchTradepostError(tradepost.orders.get('ord_1'))).toMatchObject({
      code: 'order_not_found',
    });
  });
});
