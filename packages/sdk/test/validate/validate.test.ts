import { endpoints } from '@tradepost/contract/wire';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anOrder } from '../../../../test/helpers/an-order';
import { validateResponses } from '../../src/validate/index';
import { responseSchemas } from '../../src/validate/response-schemas';
import { contractResponses } from '../helpers/contract-responses';

/** Validates a response, by default to `GET /v1/orders/:id`. */
function check(
  body: unknown,
  { on = 'GET /v1/orders/:id', status = 200 }: { on?: string; status?: number } = {},
): string[] {
  const [method = '', route = ''] = on.split(' ');
  return validateResponses({ method, route, status, body }).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

const aNotification = {
  id: 'ntf_1',
  type: 'order_status_changed',
  orderId: 'ord_1',
  message: 'Order ord_1 is now fulfilling.',
  read: false,
  createdAt: '2026-11-21T09:30:00.000Z',
};

describe('a response that matches the contract', () => {
  test('has no issues', () => {
    expect(check({ data: anOrder() })).toEqual([]);
    expect(check({ data: anOrder() }, { on: 'POST /v1/orders', status: 201 })).toEqual([]);
  });

  test('may have unknown fields', () => {
    expect(check({ data: { ...anOrder(), colour: 'green' }, took: 7 })).toEqual([]);
  });

  test('is not changed', () => {
    const body = Object.freeze({ data: Object.freeze({ ...anOrder(), colour: 'green' }) });
    expect(check(body)).toEqual([]);
    expect(body.data).toEqual({ ...anOrder(), colour: 'green' });
  });
});

describe('a response that does not match the contract', () => {
  test('is reported field by field, with paths', () => {
    const { listingId, ...order } = anOrder();
    expect(check({ data: { ...order, status: 'lost', quantity: '5' } })).toEqual([
      'data.status: must be one of pending, confirmed, fulfilling, completed, cancelled',
      'data.listingId: is missing: must be a listing ID (lst_<id>)',
      'data.quantity: must be an integer',
    ]);
  });

  test('is reported with the index of an invalid item', () => {
    const data = [anOrder(), { ...anOrder(), agentId: undefined }];
    expect(check({ data, nextCursor: null }, { on: 'GET /v1/orders' })).toEqual([
      'data.1.agentId: is missing: must be an account ID (usr_<id>)',
    ]);
  });

  test.each([
    ['without its envelope', anOrder(), 'data'],
    ['with a list for one order', { data: [anOrder()] }, 'data'],
    ['that is null', null, 'body'],
    ['that is a text', '<html>', 'body'],
    ['that is empty', undefined, 'body'],
  ])('is reported for a body %s', (_, body, path) => {
    expect(check(body)).toEqual([expect.stringMatching(new RegExp(`^${path}: `))]);
  });

  test('is reported with fifty issues at most', () => {
    const data = Array.from({ length: 100 }, () => ({}));
    expect(check({ data, nextCursor: null }, { on: 'GET /v1/orders' })).toHaveLength(50);
  });

  test('is reported when its status is not a success status of the endpoint', () => {
    expect(check({ data: anOrder() }, { on: 'POST /v1/orders', status: 200 })).toEqual([
      'status: must be 201 for POST /v1/orders (got 200)',
    ]);
  });
});

describe('the validator does not check', () => {
  test('a response without a body', () => {
    for (const body of [undefined, '', null]) {
      expect(check(body, { on: 'DELETE /v1/webhooks/:id', status: 204 })).toEqual([]);
    }
  });

  test.each([400, 404, 418, 500, 302, 100, 0])('a response with %s', (status) => {
    expect(check({ surprise: true }, { status })).toEqual([]);
  });

  test.each(['GET /v1/parcels', 'DELETE /v1/orders/:id', 'GET /v1/orders/ord_1', 'get /v1/orders'])(
    'the unknown route %s',
    (on) => {
      expect(check({ surprise: true }, { on })).toEqual([]);
    },
  );
});

describe('a response of a service without extensions', () => {
  test.each(['GET /v1/orders', 'GET /v1/notifications'])('may lack its cursor: %s', (on) => {
    expect(check({ data: [] }, { on })).toEqual([]);
    expect(check({ data: [], nextCursor: 2 }, { on })).toHaveLength(1);
  });

  test.each([
    [{ id: '4711', enabled: true }],
    [{ id: 'whk_1', url: 'https://receiver.example', events: ['order.created'], status: 'on' }],
    [{ secret: 'whsec_c2VjcmV0', createdAt: 1_795_253_400 }],
    [{}],
  ])('may have the created webhook %j', (data) => {
    expect(check({ data }, { on: 'POST /v1/webhooks', status: 201 })).toEqual([]);
  });

  test.each([
    ['data.id', { id: 7 }],
    ['data.url', { url: null }],
    ['data.events.0', { events: ['order.lost'] }],
    ['data.secret', { secret: '' }],
    ['data', undefined],
  ])('is rejected for an invalid %s of a created webhook: %j', (path, data) => {
    const on = { on: 'POST /v1/webhooks', status: 201 };
    expect(check({ data }, on)).toEqual([expect.stringContaining(`${path}: `)]);
  });

  test('may have a notification of any type that is a string', () => {
    const on = { on: 'PATCH /v1/notifications/:id' };
    expect(check({ data: { ...aNotification, type: 'parcel_lost' } }, on)).toEqual([]);
    expect(check({ data: { ...aNotification, type: 7 } }, on)).toHaveLength(1);
  });
});

describe('the table of response schemas', () => {
  const table = Object.entries(responseSchemas).flatMap(([noun, verbs]) =>
    Object.entries(verbs as Record<string, Record<string, z.ZodType | null>>).flatMap(
      ([verb, responses]) =>
        Object.entries(responses).map(([status, schema]) => {
          const places: Record<
            string,
            Record<string, { method: string; path: string }>
          > = endpoints;
          const { method, path } = places[noun]?.[verb] ?? { method: '', path: '' };
          return { name: `${method} ${path}`, status: Number(status), schema };
        }),
    ),
  );

  /** The responses that the API specification leaves open. */
  const openByInterface = [
    'GET /v1/orders',
    'GET /v1/notifications',
    'PATCH /v1/notifications/:id',
    'POST /v1/webhooks',
  ];

  test('has exactly the routes and success statuses of the contract', () => {
    const listNames = (responses: { name: string; status: number }[]) =>
      responses.map(({ name, status }) => `${name} ${status}`).sort();
    expect(listNames(table)).toEqual(listNames(contractResponses));
  });

  test.each(contractResponses)(
    "has the contract's own schema for $name, or one opened for unknown values",
    (response) => {
      const ours = table.find(({ name }) => name === response.name)?.schema ?? null;
      const [own, contracts] = [ours, response.schema].map((schema) =>
        schema === null ? null : JSON.stringify(z.toJSONSchema(schema)),
      );
      expect(own === contracts).toBe(!openByInterface.includes(response.name));
    },
  );
});
