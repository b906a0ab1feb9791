import { checkReceiverOptions } from './check-options';
import {
  type FastifyInstanceLike,
  type FastifyPluginOptions,
  fastifyAdapter,
} from './fastify-adapter';
import { type FetchRequest, fetchAdapter } from './fetch-adapter';
import { type LambdaEvent, type LambdaResult, lambdaAdapter } from './lambda-adapter';
import { type NodeRequest, type NodeResponse, nodeAdapter } from './node-adapter';
import type { WebhookReceiverOptions } from './options';
import { createReceive } from './receive';

/** A receiver of deliveries, with a method for each host. The methods need no `this`. */
export interface WebhookReceiver {
  /**
   * Takes a web `Request` and returns a `Response`: Hono, Next.js, Workers, Deno, Bun.
   *
   * With `background: true`, the work is passed to `waitUntil` of `context`, if it has that method: pass
   * Workers' `ctx` or Hono's `executionCtx`. Any other context is ignored.
   */
  readonly fetch: (request: FetchRequest, context?: unknown) => Promise<Response>;
  /**
   * Handles a request of `node:http`, Express, or a serverless host with the same interface. It uses the raw
   * body in `rawBody` or `body`, if a host or a parser kept it there. It responds later: wait for the event `close` of
   * `response` if you need to know when.
   */
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  /** A plugin: `app.register(receiver.fastify, { url: '/webhooks' })`. A `prefix` works too. */
  readonly fastify: (instance: FastifyInstanceLike, options: FastifyPluginOptions) => Promise<void>;
  /**
   * Handles an event of AWS Lambda from API Gateway, a load balancer or a function URL. It always handles a
   * delivery before it responds, even if `background` is set, because Lambda stops after the response.
   */
  readonly lambda: (event: LambdaEvent) => Promise<LambdaResult>;
}

/**
 * Creates an endpoint for deliveries: it reads the raw body up to `maxBytes`, verifies it, calls the handler
 * of the event type, and responds so that the service retries if necessary. Its methods never throw.
 *
 * Responses: 204 when the delivery is handled, or was handled before; 202 when it will be handled in the
 * `background`; 200 for a test event, unless `test` is `'deliver'`. 400 when verification fails, 413 when the body is too large, both with the code as text.
 * The service retries after these: 501 when there is no handler for the event type, 500 when the handler threw
 * or this program is misconfigured, 503 while the same delivery is being handled, and when the function `secret` failed.
 *
 * @throws {WebhookVerificationError} `INVALID_CONFIGURATION` when an option is missing, misspelt or not valid,
 *   such as an empty secret, and when there is no handler.
 * @example
 * const receiver = webhookReceiver({
 *   secret,
 *   requireTimestamp: true,
 *   on: { 'order.created': async (event) => await book(event.data.orderId) },
 *   onUnhandled: 'ignore',
 * });
 * app.post('/webhooks', receiver.node);
 */
export function webhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  checkReceiverOptions(options);
  const receive = createReceive(options);
  return {
    fetch: fetchAdapter(receive),
    node: nodeAdapter(receive),
    fastify: fastifyAdapter(receive),
    lambda: lambdaAdapter(receive),
  };
}
