import { endpoints } from '@tradepost/contract/wire';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { validateResponses } from '../../src/validate/index';
import { responseSchemas } from '../../src/validate/response-schemas';
import { anOrder } from '../helpers/an-order';
import { contractAnswers } from '../helpers/contract-responses';

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
  test('has nothing wrong', () => {
    expect(check({ data: anOrder() })).toEqual([]);
    expect(check({ data: anOrder() }, { on: 'POST /v1/orders', status: 201 })).toEqual([]);
  });

  test('may have fields that this version does not know', () => {
    expect(check({ data: { ...anOrder(), colour: 'green' }, took: 7 })).toEqual([]);
  });

  test('is left as it is', () => {
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
  ])('is told of a body %s', (_, body, path) => {
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

describe('what is not checked', () => {
  test('a response without a body', () => {
    for (const body of [undefined, '', null]) {
      expect(check(body, { on: 'DELETE /v1/webhooks/:id', status: 204 })).toEqual([]);
    }
  });

  test.each([400, 404, 418, 500, 302, 100, 0])('an answer with %s', (status) => {
    expect(check({ surprise: true }, { status })).toEqual([]);
  });

  test.each(['GET /v1/parcels', 'DELETE /v1/orders/:id', 'GET /v1/orders/ord_1', 'get /v1/orders'])(
    'the route %s, which the contract does not know',
    (on) => {
      expect(check({ surprise: true }, { on })).toEqual([]);
    },
  );
});

describe('of a service without extensions', () => {
  test.each(['GET /v1/orders', 'GET /v1/notifications'])('%s may lack its cursor', (on) => {
    expect(check({ data: [] }, { on })).toEqual([]);
    expect(check({ data: [], nextCursor: 2 }, { on })).toHaveLength(1);
  });

  test.each([
    [{ id: '4711', enabled: true }],
    [{ id: 'whk_1', url: 'https://receiver.example', events: ['order.created'], status: 'on' }],
    [{ secret: 'whsec_c2VjcmV0', createdAt: 1_795_253_400 }],
    [{}],
  ])('a created webhook may be %j', (data) => {
    expect(check({ data }, { on: 'POST /v1/webhooks', status: 201 })).toEqual([]);
  });

  test.each([
    ['data.id', { id: 7 }],
    ['data.url', { url: null }],
    ['data.events.0', { events: ['order.lost'] }],
    ['data.secret', { secret: '' }],
    ['data', undefined],
  ])('%s of a created webhook is no good as it is in %j', (path, data) => {
    const on = { on: 'POST /v1/webhooks', status: 201 };
    expect(check({ data }, on)).toEqual([expect.stringContaining(`${path}: `)]);
  });

  test('a notification may have any type that is a string', () => {
    const on = { on: 'PATCH /v1/notifications/:id' };
    expect(check({ data: { ...aNotification, type: 'parcel_lost' } }, on)).toEqual([]);
    expect(check({ data: { ...aNotification, type: 7 } }, on)).toHaveLength(1);
  });
});

describe('the response schemas', () => {
  const table = Object.entries(responseSchemas).flatMap(([noun, verbs]) =>
    Object.entries(verbs as Record<string, Record<string, z.ZodType | null>>).flatMap(
      ([verb, answers]) =>
        Object.entries(answers).map(([status, schema]) => {
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

  test('are there for each route and status that the contract succeeds with, and no other', () => {
    const placesOf = (answers: { name: string; status: number }[]) =>
      answers.map(({ name, status }) => `${name} ${status}`).sort();
    expect(placesOf(table)).toEqual(placesOf(contractAnswers));
  });

  test.each(contractAnswers)(
    "of $name are the contract's own, or open by the interface",
    (answer) => {
      const ours = table.find(({ name }) => name === answer.name)?.schema ?? null;
      const [own, contracts] = [ours, answer.schema].map((schema) =>
        schema === null ? null : JSON.stringify(z.toJSONSchema(schema)),
      );
      expect(own === contracts).toBe(!openByInterface.includes(answer.name));
    },
  );
});
