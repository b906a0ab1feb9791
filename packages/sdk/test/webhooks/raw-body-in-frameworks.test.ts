import type { RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { verifyWebhook } from '../../src/webhooks/index';
import { aDelivery, secret } from '../helpers/a-delivery';

const { payload, headers } = aDelivery();

/** Returns the error message of verification for a body that a framework has parsed. */
async function verifyParsed(body: unknown, given: object): Promise<string> {
  const parsed = { payload: body as string, headers: given as Record<string, string>, secret };
  return verifyWebhook(parsed).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
}

/** Sends the delivery to an application and returns the text of the response. */
async function postTo(app: RequestListener): Promise<string> {
  const server = await startHttpServer(app);
  onTestFinished(() => server.close());
  const body = new Uint8Array(payload);
  return (await fetch(server.url, { method: 'POST', headers, body })).text();
}

test('a body that Express has parsed is rejected with the fix for Express', async () => {
  const app = express();
  app.use(express.json());
  app.post('/', async (request, response) => {
    response.send(await verifyParsed(request.body, request.headers));
  });
  expect(await postTo(app)).toContain('In Express, put express.raw(');
});

test('a body that Express has parsed and the program has serialized again is rejected with the fix for Express', async () => {
  const app = express();
  app.use(express.json());
  app.post('/', async (request, response) => {
    const again = JSON.stringify(request.body, null, 1);
    response.send(await verifyParsed(again, request.headers));
  });
  const message = await postTo(app);
  expect(message).toContain('it was parsed and serialized again');
  expect(message).toContain('In Express, put express.raw(');
});

test('a body that Fastify has parsed is rejected with the fix for Fastify', async () => {
  const app = Fastify();
  app.post('/', async (request) => verifyParsed(request.body, request.headers));
  const response = await app.inject({ method: 'POST', url: '/', headers, payload });
  expect(response.body).toContain('In Fastify, register');
});
