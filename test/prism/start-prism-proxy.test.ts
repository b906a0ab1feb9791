import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Tradepost } from '@tradepost/sdk';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { findOrderId } from '../helpers/seed';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { loadPrism } from './prism';
import { startPrismProxy } from './start-prism-proxy';

/** What the tests change in the document. */
interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters: object[];
        requestBody?: object;
        responses: Record<string, { headers: Record<string, object> }>;
      }
    >
  >;
  components: { schemas: Record<string, { properties: Record<string, object> }> };
}

let text: string;

beforeAll(async () => {
  const file = createRequire(import.meta.url).resolve('@tradepost/contract/openapi.json');
  text = await readFile(file, 'utf8');
});

/** Starts a server, and a proxy that validates by a changed copy of the document. */
async function startValidated(change: (document: Document) => void) {
  const service: SeededServer = await forTest(startSeededServer());
  const document = JSON.parse(text);
  change(document);
  const violations: string[] = [];
  const proxy = await startPrismProxy(service.server.url, await loadPrism(document), (found) => {
    violations.push(found);
  });
  onTestFinished(proxy.close);
  const client = new Tradepost({ baseUrl: proxy.url, apiKey: service.seller.apiKey });
  const url = `/v1/orders/${findOrderId(service.seed, 'pending')}`;
  return { client, proxy, violations, url, id: url.slice('/v1/orders/'.length), service };
}

test('the proxy reports nothing about exchanges that the document describes', async () => {
  const { client, proxy, violations, id } = await startValidated(() => {});
  await client.orders.get(id);
  await client.orders.update(id, { status: 'confirmed' });
  expect(proxy.checked()).toBe(2);
  expect(violations).toEqual([]);
});

test('the proxy reports a response field that the document describes otherwise', async () => {
  const { client, violations, id, url } = await startValidated(({ components }) => {
    components.schemas.Order = {
      ...components.schemas.Order,
      properties: { ...components.schemas.Order?.properties, quantity: { type: 'string' } },
    };
  });
  await client.orders.get(id);
  expect(violations).toEqual([
    `GET ${url} 200: response.body.data.quantity: Response body property data.quantity must be string`,
  ]);
});

test('the proxy reports a header that the document requires and the response lacks', async () => {
  const { client, violations, id, url } = await startValidated(({ paths }) => {
    const { headers } = paths['/v1/orders/{id}']?.get?.responses['200'] ?? { headers: {} };
    headers['X-Missing'] = { required: true, schema: { type: 'string' } };
  });
  await client.orders.get(id);
  expect(violations).toEqual([expect.stringMatching(`^GET ${url} 200: response.header`)]);
});

test('the proxy reports an accepted request that the document forbids', async () => {
  const { client, violations, id, url } = await startValidated(({ paths }) => {
    const parameter = { in: 'query', name: 'limit', required: true, schema: { type: 'integer' } };
    paths['/v1/orders/{id}']?.get?.parameters.push(parameter);
  });
  await client.orders.get(id);
  expect(violations).toEqual([expect.stringMatching(`^GET ${url} 200: request.query`)]);
});

test('the proxy reports a path that the document does not have', async () => {
  const { client, violations, id, url } = await startValidated(({ paths }) => {
    delete paths['/v1/orders/{id}'];
  });
  await client.orders.get(id);
  expect(violations).toEqual([expect.stringMatching(`^GET ${url} 200: Route not resolved`)]);
});

test('the proxy reports no invalid request that the service rejects', async () => {
  const { proxy, violations, service } = await startValidated(() => {});
  const response = await fetch(`${proxy.url}/v1/orders?status=lost`, {
    headers: { Authorization: `Bearer ${service.seller.apiKey}` },
  });
  expect(response.status).toBe(422);
  expect(proxy.checked()).toBe(1);
  expect(violations).toEqual([]);
});

test('the proxy reports a body where the document has none, unless it is empty', async () => {
  const { proxy, violations, service } = await startValidated(({ paths }) => {
    // As if the body of an order were not documented.
    delete paths['/v1/orders']?.post?.requestBody;
  });
  const listingId = service.seed.listings[0]?.id;
  const post = (path: string, body: object) =>
    fetch(`${proxy.url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.buyer.apiKey}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const created = await post('/v1/webhooks', {
    url: 'https://receiver.example/',
    events: ['order.created'],
  });
  const { data } = (await created.json()) as { data: { id: string } };
  expect((await post(`/v1/webhooks/${data.id}/secret`, {})).status).toBe(201);
  expect(violations).toEqual([]);
  expect((await post('/v1/orders', { listingId, quantity: 1 })).status).toBe(201);
  expect(violations).toEqual([
    expect.stringMatching('^POST /v1/orders 201: request: No supported'),
  ]);
});
