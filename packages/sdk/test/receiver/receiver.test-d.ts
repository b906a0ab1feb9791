import { createServer } from 'node:http';
import type {
  ALBHandler,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLHandler,
} from 'aws-lambda';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expectTypeOf, test } from 'vitest';
import type { DedupeStore } from '../../src/receiver/dedupe-store';
import { createMemoryDedupeStore } from '../../src/receiver/dedupe-store';
import { webhookReceiver } from '../../src/receiver/webhook-receiver';
import type {
  EventHandler,
  EventHandlers,
  EventOf,
  KnownWebhookEvent,
  OrderStatus,
  Other,
  ReceivedDelivery,
  VerifiedDelivery,
  WebhookEvent,
} from '../../src/webhooks/index';

const secret = 'whsec_x';
const receiver = webhookReceiver({ secret, on: {} });

describe('webhookReceiver', () => {
  test('passes each handler the event of its type', () => {
    webhookReceiver({
      secret,
      on: {
        'order.status_changed': async (event, delivery) => {
          expectTypeOf(event.data.status).toEqualTypeOf<OrderStatus | Other>();
          expectTypeOf(event.event).toEqualTypeOf<'order.status_changed'>();
          expectTypeOf(delivery).toEqualTypeOf<ReceivedDelivery>();
          expectTypeOf(delivery).toExtend<VerifiedDelivery>();
          expectTypeOf(delivery.headers.traceparent).toEqualTypeOf<string | undefined>();
        },
        'listing.availability_low': ({ data }) => {
          expectTypeOf(data.availableQuantity).toBeNumber();
          // @ts-expect-error another kind has that
          expectTypeOf(data.orderId).toBeString();
        },
      },
      onUnhandled: (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>(),
    });
  });

  test('has a handler for each event type', () => {
    expectTypeOf<Required<EventHandlers>>().toEqualTypeOf<{
      readonly [Type in KnownWebhookEvent['event']]: EventHandler<EventOf<Type>> | undefined;
    }>();
  });

  test('rejects an unknown event type, and accepts ignore', () => {
    // @ts-expect-error it is called order.status_changed
    webhookReceiver({ secret, on: { 'order.changed': () => undefined } });
    webhookReceiver({ secret, on: {}, onUnhandled: 'ignore' });
    // @ts-expect-error it is called ignore
    webhookReceiver({ secret, on: {}, onUnhandled: 'skip' });
  });

  test('requires onError where the service does not retry', () => {
    const background = (work: Promise<void>) => work;
    // @ts-expect-error errors would be lost
    webhookReceiver({ secret, on: {}, background: true });
    // @ts-expect-error errors would be lost
    webhookReceiver({ secret, on: {}, background });
    webhookReceiver({ secret, on: {}, background: true, onError: (error) => console.error(error) });
    webhookReceiver({ secret, on: {}, background, onError: async (_, event) => event.event });
  });

  test('takes a secret straight from the environment, and no payload', () => {
    webhookReceiver({ secret: process.env.TRADEPOST_WEBHOOK_SECRET, secrets: undefined, on: {} });
    // @ts-expect-error that comes with each delivery
    webhookReceiver({ secret, on: {}, payload: '' });
    // @ts-expect-error that comes with each delivery
    webhookReceiver({ secret, on: {}, signature: '' });
  });

  test('takes a function that returns a secret, now or later', () => {
    webhookReceiver({ secret: () => process.env.TRADEPOST_WEBHOOK_SECRET, on: {} });
    webhookReceiver({ secret: async () => process.env.TRADEPOST_WEBHOOK_SECRET, on: {} });
    webhookReceiver({ secret: () => [secret, secret] as const, on: {} });
    const maybe = Math.random() < 0.5 ? secret : () => secret;
    webhookReceiver({ secret: maybe, on: {} });
    // @ts-expect-error a secret is a text
    webhookReceiver({ secret: () => 5, on: {} });
    // @ts-expect-error a secret is a text
    webhookReceiver({ secret: Promise.resolve(secret), on: {} });
  });

  test('takes a synchronous or an asynchronous dedupe store', () => {
    const later: DedupeStore = {
      claim: async (key) => (key ? 'acquired' : 'in_progress'),
      complete: async () => 1,
      release: async () => undefined,
    };
    webhookReceiver({ secret, on: {}, dedupe: later });
    webhookReceiver({ secret, on: {}, dedupe: createMemoryDedupeStore({ max: 5 }) });
    // @ts-expect-error there is no such state
    webhookReceiver({ secret, on: {}, dedupe: { ...later, claim: () => 'old' } });
  });
});

describe('a receiver is accepted by the types of', () => {
  test('node:http and Express', () => {
    createServer(receiver.node);
    // A promise would be a misused one there, by the lint rule of that name.
    expectTypeOf(receiver.node).returns.toEqualTypeOf<void>();
    express().post('/webhooks', receiver.node).use('/webhooks', receiver.node);
    express.Router().all('/webhooks', express.json(), receiver.node);
  });

  test('Fastify', () => {
    const app = fastify();
    app.register(receiver.fastify, { url: '/webhooks' });
    app.register(receiver.fastify, { prefix: '/webhooks' });
    app.register(receiver.fastify);
    // @ts-expect-error it is called url
    app.register(receiver.fastify, { path: '/webhooks' });
  });

  test('Hono, and hosts that pass a second argument with the Request', () => {
    new Hono().post('/webhooks', (context) =>
      receiver.fetch(context.req.raw, context.executionCtx),
    );
    expectTypeOf(receiver.fetch).toExtend<(request: Request) => Promise<Response>>();
    expectTypeOf(receiver.fetch).toExtend<
      (request: Request, info: { remoteAddr: string }) => Promise<Response>
    >();
  });

  test('AWS Lambda, behind each of its gateways', () => {
    expectTypeOf(receiver.lambda).toExtend<APIGatewayProxyHandler>();
    expectTypeOf(receiver.lambda).toExtend<APIGatewayProxyHandlerV2>();
    expectTypeOf(receiver.lambda).toExtend<ALBHandler>();
    expectTypeOf(receiver.lambda).toExtend<LambdaFunctionURLHandler>();
  });
});
