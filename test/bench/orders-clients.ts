import { contract } from '@tradepost/contract';
import { type Order, Tradepost } from '@tradepost/sdk';
import { createPooledFetch, type PooledFetch } from '@tradepost/sdk/node';
import { initClient } from '@ts-rest/core';
import createOpenapiClient from 'openapi-fetch';
import { listLength, orderId } from './orders-responses';

/** The measured part of a client. Both methods return the data of the response. */
export interface OrdersClient {
  /** Gets the order. */
  get(): Promise<unknown>;
  /** Lists a page of orders. */
  list(): Promise<readonly unknown[]>;
}

/** The clients that are measured, by name. */
export interface OrdersClients {
  /** `fetch`, and `JSON.parse` of the text. */
  bare: OrdersClient;
  /** The same with a timeout, which has its own cost. */
  bareTimed: OrdersClient;
  tradepost: OrdersClient;
  /** The SDK with the pool of `@tradepost/sdk/node`. */
  pooled: OrdersClient;
  openapiFetch: OrdersClient;
  tsRest: OrdersClient;
}

const apiKey = `tpk_${'k'.repeat(40)}`;
const query = { limit: listLength };

/** What openapi-typescript would generate for the two endpoints. */
interface Paths {
  '/v1/orders': {
    get: {
      parameters: { query: { limit: number } };
      responses: { 200: { content: { 'application/json': { data: Order[] } } } };
    };
  };
  '/v1/orders/{id}': {
    get: {
      parameters: { path: { id: string } };
      responses: { 200: { content: { 'application/json': { data: Order } } } };
    };
  };
}

/** Reads the headers that the SDK sends. The others send them too, so that the work is the same. */
async function readSdkHeaders(baseUrl: string): Promise<Record<string, string>> {
  let sent: Record<string, string> = {};
  const tradepost = new Tradepost({
    baseUrl,
    apiKey,
    fetch: (url, init) => {
      sent = { ...init.headers };
      return fetch(url, init);
    },
  });
  await tradepost.orders.get(orderId);
  return sent;
}

const timeout = 30_000;

function bareClient(baseUrl: string, headers: Record<string, string>): OrdersClient {
  return createClient(async (path) => {
    const response = await fetch(`${baseUrl}${path}`, { headers });
    return (JSON.parse(await response.text()) as { data: unknown }).data;
  });
}

function bareTimedClient(baseUrl: string, headers: Record<string, string>): OrdersClient {
  return createClient(async (path) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeout);
    const response = await fetch(`${baseUrl}${path}`, { headers, signal: controller.signal });
    const text = await response.text();
    clearTimeout(timer);
    return (JSON.parse(text) as { data: unknown }).data;
  });
}

function createClient(request: (path: string) => Promise<unknown>): OrdersClient {
  return {
    get: () => request(`/v1/orders/${orderId}`),
    list: () => request(`/v1/orders?limit=${query.limit}`) as Promise<unknown[]>,
  };
}

function sdkClient(baseUrl: string, fetch?: PooledFetch): OrdersClient {
  const tradepost = new Tradepost({ baseUrl, apiKey, fetch });
  return {
    get: () => tradepost.orders.get(orderId),
    list: async () => (await tradepost.orders.list(query)).data,
  };
}

function openapiFetchClient(baseUrl: string, headers: Record<string, string>): OrdersClient {
  const client = createOpenapiClient<Paths>({ baseUrl, headers });
  return {
    async get() {
      const { data } = await client.GET('/v1/orders/{id}', { params: { path: { id: orderId } } });
      return data?.data;
    },
    async list() {
      const { data } = await client.GET('/v1/orders', { params: { query } });
      return data?.data ?? [];
    },
  };
}

function tsRestClient(baseUrl: string, baseHeaders: Record<string, string>): OrdersClient {
  const client = initClient(contract, { baseUrl, baseHeaders });
  return {
    async get() {
      const { status, body } = await client.orders.get({ params: { id: orderId }, query: {} });
      return status === 200 ? body.data : null;
    },
    async list() {
      const { status, body } = await client.orders.list({ query });
      return status === 200 ? body.data : [];
    },
  };
}

/** Creates all clients of a service. They share Node's `fetch` and its connections. */
export async function createOrdersClients(baseUrl: string): Promise<OrdersClients> {
  const headers = await readSdkHeaders(baseUrl);
  return {
    bare: bareClient(baseUrl, headers),
    bareTimed: bareTimedClient(baseUrl, headers),
    tradepost: sdkClient(baseUrl),
    pooled: sdkClient(baseUrl, createPooledFetch()),
    openapiFetch: openapiFetchClient(baseUrl, headers),
    tsRest: tsRestClient(baseUrl, headers),
  };
}
