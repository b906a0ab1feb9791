import {
  type FastifyInstanceLike,
  type FastifyPluginOptions,
  fastifyAdapter,
} from './fastify-adapter';
import { type FetchRequest, fetchAdapter } from './fetch-adapter';
import { type LambdaEvent, type LambdaResult, lambdaAdapter } from './lambda-adapter';
import { type NodeRequest, type NodeResponse, nodeAdapter } from './node-adapter';
import { createReceive } from './receive';
import type { WebhookReceiverOptions } from './receiver-options';

/** A receiver of deliveries, in a form for each kind of host. Each may be passed around by itself. */
export interface WebhookReceiver {
  /**
   * Answers a web `Request` with a `Response`: Hono, Next.js, Workers, Deno, Bun.
   *
   * With `after: true` the work is handed to `waitUntil` of `context`, if it has that: pass Workers'
   * `ctx` or Hono's `executionCtx`. Whatever else a framework passes there is ignored.
   */
  readonly fetch: (request: FetchRequest, context?: unknown) => Promise<Response>;
  /**
   * Answers a request of `node:http`, Express, or a serverless host in their form. A raw body that a
   * host or a parser kept in `rawBody` or `body` is taken from there.
   */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /** A plugin: `app.register(receiver.fastify, { url: '/webhooks' })`. A `prefix` works too. */
  readonly fastify: (instance: FastifyInstanceLike, options: FastifyPluginOptions) => Promise<void>;
  /**
   * Answers an event of AWS Lambda that API Gateway, a load balancer or a function URL made. Its
   * work can't go on after the answer, so it is done before, whatever `after` says.
   */
  readonly lambda: (event: LambdaEvent) => Promise<LambdaResult>;
}

/**
 * Makes an endpoint for deliveries: it reads the raw body up to `maxBytes`, verifies it, hands the
 * event to the handler for its kind, and answers so that the service does the right thing.
 *
 * Handled, or handled before: 204; to be handled `after` the answer: 202. Not believed: 400, too
 * large: 413, both with the code as text. Not handled, so that it comes again: 501 when there is no
 * handler for it, 500 when the handler threw or this program is at fault, 503 while the same
 * delivery is being handled. Nothing is thrown at the host.
 *
 * @example
 * const receiver = webhookReceiver({
 *   secret,
 *   requireTimestamp: true,
 *   on: { 'order.created': async (event) => await book(event.data.orderId) },
 *   onUnknown: 'ignore',
 * });
 * app.post('/webhooks', receiver.node);
 */
export function webhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const receive = createReceive(options);
  return {
    fetch: fetchAdapter(receive),
    node: nodeAdapter(receive),
    fastify: fastifyAdapter(receive),
    lambda: lambdaAdapter(receive),
  };
}
