import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { InvalidResponseError, type ResponseValidator } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, type Step, scriptedService, text } from '../helpers/scripted-service';

const placed = json(201, { data: anOrder() }, { 'X-Request-Id': 'req_7' });
const aNewOrder = { listingId: 'lst_1', quantity: 5 };

async function checkedClient(validate: ResponseValidator, ...steps: Step[]) {
  const service = await scriptedService(...steps);
  return { service, ...createTestClient({ ...service, validate }) };
}

const issue = (path: string) => ({ path, message: 'must be there' });

describe('the validate option', () => {
  test('validates each successful response, with its path template', async () => {
    const seen: unknown[] = [];
    const { orders, webhooks } = await checkedClient(
      (response) => {
        seen.push(response);
        return [];
      },
      placed,
      json(200, { data: [] }),
      text(204, ''),
    );
    expect(await orders.get('ord_1')).toEqual(anOrder());
    await orders.list();
    await webhooks.delete('whk_1');
    expect(seen).toEqual([
      { method: 'GET', route: '/v1/orders/:id', status: 201, body: { data: anOrder() } },
      { method: 'GET', route: '/v1/orders', status: 200, body: { data: [] } },
      { method: 'DELETE', route: '/v1/webhooks/:id', status: 204, body: undefined },
    ]);
  });

  test('turns a response with issues into an error that names the first of them', async () => {
    const errors = ['data.id', 'data.status', 'data.quantity', 'data.createdAt'].map(issue);
    const { service, orders } = await checkedClient(() => errors, placed);
    const error = await catchTradepostError(orders.create(aNewOrder));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({
      code: 'contract_mismatch',
      status: 201,
      requestId: 'req_7',
      method: 'POST',
      path: '/v1/orders',
      errors,
    });
    expect(error.message).toBe(
      'POST /v1/orders returned 201, but its body does not match the contract: data.id must be there; data.status must be there; data.quantity must be there (and 1 more). The request succeeded. (request req_7)',
    );
    expect(service.seen).toHaveLength(1);
  });

  test('does not validate an error response, nor a response that is not JSON', async () => {
    const validate = () => [issue('data')];
    const rejecting = await checkedClient(validate, problem(404, 'order_not_found'));
    expect((await catchTradepostError(rejecting.orders.get('ord_1'))).code).toBe('order_not_found');
    const unreadable = await checkedClient(validate, text(200, '<html>'));
    const error = await catchTradepostError(unreadable.orders.get('ord_1'));
    expect(error).toMatchObject({ code: 'invalid_response', errors: [] });
  });

  test('fails the call with a clear error when it throws', async () => {
    const { orders } = await checkedClient(() => {
      throw new Error('no schema');
    }, placed);
    const error = await catchTradepostError(orders.create(aNewOrder));
    expect(error).toMatchObject({ name: 'TradepostError', code: 'hook_failed', status: 201 });
    expect(error.message).toBe(
      'POST /v1/orders succeeded, but the validate option threw: no schema. (request req_7)',
    );
    expect(error.cause).toMatchObject({ message: 'no schema' });
  });
});
