import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { verifyWebhook } from '../../src/webhooks/index';
import { aDelivery, secret } from '../helpers/a-delivery';

const { payload, headers } = aDelivery();

/** What verification says of a body that a framework has parsed. */
async function saidOf(body: unknown, given: object): Promise<string> {
  const parsed = { payload: body as string, headers: given as Record<string, string>, secret };
  return verifyWebhook(parsed).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
}

async function postTo(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const body = new Uint8Array(payload);
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).text();
}

test('a body that Express has parsed is rejected with the fix for Express', async () => {
  const app = express();
  app.use(express.json());
  app.post('/', async (request, response) => {
    response.send(await saidOf(request.body, request.headers));
  });
  expect(await postTo(createServer(app))).toContain('In Express, put express.raw(');
});

test('a body that Express has parsed and the program has serialized again is rejected with the fix for Express', async () => {
  const app = express();
  app.use(express.json());
  app.post('/', async (request, response) => {
    const again = JSON.stringify(request.body, null, 1);
    response.send(await saidOf(again, request.headers));
  });
  const said = await postTo(createServer(app));
  expect(said).toContain('it was parsed and serialized again');
  expect(said).toContain('In Express, put express.raw(');
});

test('a body that Fastify has parsed is rejected with the fix for Fastify', async () => {
  const app = Fastify();
  app.post('/', async (request) => saidOf(request.body, request.headers));
  const answer = await app.inject({ method: 'POST', url: '/', headers, payload });
  expect(answer.body).toContain('In Fastify, register');
});
