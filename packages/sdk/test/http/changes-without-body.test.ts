import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { resolveOptions } from '../../src/http/resolved-options';
import { systemRuntime } from '../../src/http/runtime';
import { Transport } from '../../src/http/transport';
import { Notifications } from '../../src/resources/notifications';
import { validateResponses } from '../../src/validate';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, type Step, scriptedService, text } from '../helpers/scripted-service';

/** The API specification does not show the bodies of these responses, so each of them conforms. */
const bodies: [string, Step][] = [
  ['a 204', text(204, '')],
  ['an empty 200', text(200, '')],
  ['an empty 202', text(202, '')],
  ['an empty object', json(200, {})],
  ['data that is null', json(200, { data: null })],
  ['data that is true', json(200, { data: true })],
  ['a list', json(200, [])],
  ['true', json(200, true)],
  ['a text', text(200, 'OK', { 'content-type': 'text/plain' })],
  ['fields of its own', json(200, { id: 7, status: 'ok', read: 'yes', url: 1, events: 1 })],
];

describe.each(bodies)('a change that the service confirms with %s', (_, step) => {
  test('of an order resolves to its ID and its status', async () => {
    const { orders } = createTestClient(await scriptedService(step));
    expect(await orders.update('ord_1', { status: 'confirmed' })).toMatchObject({
      id: 'ord_1',
      status: 'confirmed',
    });
  });

  test('of a notification resolves to its ID, read', async () => {
    const service = await scriptedService(step);
    const options = resolveOptions({ ...service, apiKey: 'tpk_test' });
    const notifications = new Notifications(new Transport(options, systemRuntime));
    expect(await notifications.markRead('ntf_1')).toMatchObject({ id: 'ntf_1', read: true });
  });

  test('that registers a webhook resolves to what was registered', async () => {
    const { webhooks } = createTestClient(await scriptedService(step));
    const registered = { url: 'https://receiver.example', events: ['order.created' as const] };
    const webhook = await webhooks.create(registered);
    expect(webhook).toMatchObject(registered);
    expect(webhook.secret).toBeUndefined();
  });

  test('is not rejected by validation', async () => {
    const { orders } = createTestClient({
      ...(await scriptedService(step)),
      validate: validateResponses,
    });
    expect((await orders.update('ord_1', { status: 'confirmed' })).id).toBe('ord_1');
  });

  test('is one request, with its response', async () => {
    const service = await scriptedService(step);
    const { orders } = createTestClient(service);
    const response = await orders.update('ord_1', { status: 'confirmed' }).withResponse();
    expect(response.status).toBeGreaterThanOrEqual(200);
    expect(service.seen).toHaveLength(1);
  });
});

test('a change keeps what the service sends without the envelope, such as the secret', async () => {
  const sent = { id: 'whk_1', secret: 'whsec_abc' };
  const { webhooks } = createTestClient(await scriptedService(json(201, sent)));
  const registered = { url: 'https://receiver.example', events: ['order.created' as const] };
  expect(await webhooks.create(registered)).toEqual({ ...registered, ...sent });
});

test('a change that gets the record without the envelope resolves to what the service says', async () => {
  const sent = { ...anOrder({ status: 'pending' }), id: 'ord_1' };
  const { orders } = createTestClient(await scriptedService(json(200, sent)));
  expect(await orders.update('ord_1', { status: 'confirmed' })).toEqual(sent);
  const { orders: others } = createTestClient(
    await scriptedService(json(200, { ...sent, id: 'ord_2' })),
  );
  expect(await others.update('ord_1', { status: 'confirmed' })).toMatchObject({
    id: 'ord_1',
    status: 'confirmed',
  });
});

test.each([
  ['an HTML page', text(200, '<!doctype html>')],
  ['a page by its content type', text(200, 'Please log in.')],
  ['a page by its first character', text(200, ' <html>', { 'content-type': 'text/plain' })],
])('a change that gets %s is an error, which says not to repeat it', async (_, step) => {
  const { orders } = createTestClient(await scriptedService(step));
  const error = await catchTradepostError(orders.update('ord_1', { status: 'confirmed' }));
  expect(error).toMatchObject({ code: 'invalid_response', mayHaveBeenApplied: true });
  expect(error.message).toContain('do not repeat it');
});

test.each(bodies)('a read that gets %s is an error', async (_, step) => {
  const { orders } = createTestClient(await scriptedService(step));
  expect(await catchTradepostError(orders.get('ord_1'))).toMatchObject({
    code: 'invalid_response',
    mayHaveBeenApplied: false,
  });
});

test.each([text(204, ''), text(200, ''), json(200, { deleted: true }), json(202, {})])(
  'a webhook is deleted, whatever 2xx the service sends',
  async (step) => {
    const { webhooks } = createTestClient(await scriptedService(step));
    expect(await webhooks.delete('whk_1')).toBeUndefined();
  },
);

test('an order is complete when the service sends it', async () => {
  const { orders } = createTestClient(await scriptedService(json(200, { data: anOrder() })));
  expect(await orders.update('ord_1', { status: 'confirmed' })).toEqual(anOrder());
});
