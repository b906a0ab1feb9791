import express, { type RequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import type { LambdaResult } from '../../../src/receiver/lambda-adapter';
import type { WebhookReceiver } from '../../../src/receiver/webhook-receiver';
import { getServerPort, type Host, readResponse } from './host';
import { type LambdaShape, lambdaEvents } from './lambda-events';
import { bridge, listening, sendTo } from './listening';

const url = 'https://receiver.example/webhooks';

/** Keeps the bytes in `rawBody`, as serverless hosts do, and adds a parsed `body`. */
const keepRawBody: RequestHandler = async (request, _response, next) => {
  const rawBody = Buffer.concat(await request.toArray());
  Object.assign(request, { rawBody, body: { parsed: true } });
  next();
};

function expressAfter(...before: RequestHandler[]): Host['start'] {
  return (receiver) => listening(express().use('/webhooks', ...before, receiver.node));
}

function honoApp(receiver: WebhookReceiver): Hono {
  return new Hono().all('/webhooks', (context) => receiver.fetch(context.req.raw));
}

function lambda(shape: LambdaShape, loses: Host['loses'] = []): Host {
  return {
    name: `Lambda behind ${shape}`,
    loses,
    start: async ({ lambda }) => ({
      send: async (sent) => fromLambdaResult(await lambda(lambdaEvents[shape](sent))),
      stop: async () => undefined,
    }),
  };
}

function fromLambdaResult({ statusCode, headers, multiValueHeaders, body }: LambdaResult) {
  const pairs = Object.entries(multiValueHeaders ?? headers).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  return { status: statusCode, headers: Object.fromEntries(pairs), body };
}

/** Every framework, also with middleware that parses the body before the receiver. */
export const hosts: Host[] = [
  { name: 'node:http', start: ({ node }) => listening(node) },
  { name: 'Express', start: expressAfter() },
  { name: 'Express after express.raw', start: expressAfter(express.raw({ type: '*/*' })) },
  {
    name: 'Express after express.text',
    // It removes byte order marks, and replaces invalid UTF-8 with U+FFFD.
    loses: ['bom', 'invalid-utf-8'],
    repairs: ['bom'],
    start: expressAfter(express.text({ type: '*/*' })),
  },
  { name: 'Express after a host that keeps rawBody', start: expressAfter(keepRawBody) },
  {
    name: 'Fastify',
    async start(receiver) {
      const app = fastify();
      await app.register(receiver.fastify, { url: '/webhooks' });
      await app.listen({ port: 0, host: '127.0.0.1' });
      return {
        send: (sent) => sendTo(getServerPort(app.server), '/webhooks', sent),
        stop: () => app.close(),
      };
    },
  },
  {
    name: 'Hono',
    start: async (receiver) => ({
      send: async ({ method = 'POST', headers, body }) =>
        readResponse(
          await honoApp(receiver).request(url, {
            method,
            headers,
            body: method === 'POST' ? body : null,
          }),
        ),
      stop: async () => undefined,
    }),
  },
  {
    name: 'Hono over node:http',
    start: (receiver) => listening(bridge(async (request) => honoApp(receiver).fetch(request))),
  },
  {
    name: 'a bare Request',
    start: async (receiver) => ({
      send: async ({ method = 'POST', headers, body }) =>
        readResponse(
          await receiver.fetch(
            new Request(url, { method, headers, body: method === 'POST' ? body : null }),
          ),
        ),
      stop: async () => undefined,
    }),
  },
  lambda('API Gateway v1', ['invalid-utf-8']),
  lambda('API Gateway v2'),
  lambda('a load balancer'),
  lambda('a load balancer with lists of headers'),
  lambda('a function URL', ['invalid-utf-8']),
];
