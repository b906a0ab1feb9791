import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import {
  deliveryResponseSchema,
  replayDeliveriesSchema,
  replayedDeliveriesResponseSchema,
} from '../deliveries/delivery-schemas';
import { endpoints } from '../http/endpoints';
import { pathIdSchema, webhookIdSchema } from '../http/field-schemas';
import { idempotencyKeySchema, noBodySchema, noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import {
  createdWebhookResponseSchema,
  createWebhookSchema,
  listWebhooksSchema,
  sendTestEventSchema,
  stagedSecretResponseSchema,
  updateWebhookSchema,
  webhookPageSchema,
  webhookResponseSchema,
} from './webhook-schemas';
import { getWebhookStatsSchema, webhookStatsResponseSchema } from './webhook-stats-schemas';

const c = initContract();
const webhookPath = z.object({ id: pathIdSchema(webhookIdSchema) });

/** The webhook endpoints. `create` is in the API specification ("Endpoints"); all others are extensions. */
export const webhookEndpoints = c.router({
  create: {
    ...endpoints.webhooks.create,
    query: noQuerySchema,
    summary: 'Register a webhook. Only this response contains its signing secret.',
    description:
      'The webhook receives a signed delivery for each event that it subscribes to and that the account may see. Store `secret`: receivers need it to verify deliveries, and no other response contains it. After the webhook is deleted, a request that repeats its idempotency key is a 409 `webhook_deleted`.',
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: createWebhookSchema,
    responses: {
      201: createdWebhookResponseSchema,
      ...problemResponses(409, 413, 415),
    },
    metadata: {
      operationId: 'createWebhook',
      extension: false,
      responseHeaders: ['location', 'idempotentReplayed'],
      problems: ['webhook_limit_reached', 'webhook_deleted'],
    } as RouteMetadata,
  },
  list: {
    ...endpoints.webhooks.list,
    summary: 'List the webhooks of the authenticated account, newest first.',
    description:
      'Each webhook has the state of its deliveries, and with `expand=stats` its statistics of the last 24 hours. Secrets are not included.',
    query: listWebhooksSchema,
    responses: { 200: webhookPageSchema, ...problemResponses() },
    metadata: {
      operationId: 'listWebhooks',
      extension: true,
      responseHeaders: [],
    } as RouteMetadata,
  },
  get: {
    ...endpoints.webhooks.get,
    query: noQuerySchema,
    summary: 'Get one webhook.',
    description: 'A webhook of another account is a 404, like one that does not exist.',
    pathParams: webhookPath,
    responses: { 200: webhookResponseSchema, ...problemResponses(404) },
    metadata: {
      operationId: 'getWebhook',
      extension: true,
      responseHeaders: [],
      problems: ['webhook_not_found'],
    } as RouteMetadata,
  },
  stats: {
    ...endpoints.webhooks.stats,
    summary: 'Get the statistics of a webhook.',
    description: [
      'Counts its deliveries and its attempts over time, for a chart: in minutes for the last hour, quarters of an hour for 24 hours, and hours for 7 days. The last bucket is not over yet.',
      'Deliveries count when they are delivered or fail, attempts when they start. Test events and replays count. The counts do not depend on how long deliveries are kept.',
    ].join('\n\n'),
    pathParams: webhookPath,
    query: getWebhookStatsSchema,
    responses: { 200: webhookStatsResponseSchema, ...problemResponses(404) },
    metadata: {
      operationId: 'getWebhookStats',
      extension: true,
      responseHeaders: [],
      problems: ['webhook_not_found'],
    } as RouteMetadata,
  },
  update: {
    ...endpoints.webhooks.update,
    query: noQuerySchema,
    summary: 'Update the URL or the subscriptions of a webhook, or pause and resume it.',
    description:
      'Fields that are left out do not change. A new `url` also applies to pending deliveries. While a webhook is `paused`, nothing is sent to it: its deliveries, including new ones, stay pending until their 24-hour deadline. Setting it to `active` resumes them.',
    pathParams: webhookPath,
    body: updateWebhookSchema,
    responses: {
      200: webhookResponseSchema,
      ...problemResponses(404, 413, 415),
    },
    metadata: {
      operationId: 'updateWebhook',
      extension: true,
      responseHeaders: [],
      problems: ['webhook_not_found'],
    } as RouteMetadata,
  },
  delete: {
    ...endpoints.webhooks.delete,
    query: noQuerySchema,
    summary: 'Delete a webhook.',
    description: 'Its pending deliveries are cancelled, and its deliveries are no longer listed.',
    pathParams: webhookPath,
    responses: { 204: c.noBody(), ...problemResponses(404) },
    metadata: {
      operationId: 'deleteWebhook',
      extension: true,
      responseHeaders: [],
      problems: ['webhook_not_found'],
    } as RouteMetadata,
  },
  stageSecret: {
    ...endpoints.webhooks.stageSecret,
    query: noQuerySchema,
    summary: 'Stage a new signing secret. Only this response contains it.',
    description: [
      'From now on `webhook-signature` is computed with both secrets, and `Service-Signature` with the current one. Configure your receivers to accept both secrets, then promote the new one.',
      'Staging again replaces the staged secret.',
    ].join('\n\n'),
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: noBodySchema,
    responses: {
      201: stagedSecretResponseSchema,
      ...problemResponses(404, 409, 413, 415),
    },
    metadata: {
      operationId: 'stageWebhookSecret',
      extension: true,
      responseHeaders: ['idempotentReplayed'],
      problems: ['webhook_not_found', 'webhook_deleted'],
    } as RouteMetadata,
  },
  promoteSecret: {
    ...endpoints.webhooks.promoteSecret,
    query: noQuerySchema,
    summary: 'Make the staged secret the current one.',
    description:
      'From now on both signatures are computed with it alone, and the previous secret is no longer used. If there is no staged secret, the response is a 409.',
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: noBodySchema,
    responses: {
      200: webhookResponseSchema,
      ...problemResponses(404, 409, 413, 415),
    },
    metadata: {
      operationId: 'promoteWebhookSecret',
      extension: true,
      responseHeaders: ['idempotentReplayed'],
      problems: ['webhook_not_found', 'no_staged_secret', 'webhook_deleted'],
    } as RouteMetadata,
  },
  test: {
    ...endpoints.webhooks.test,
    query: noQuerySchema,
    summary: 'Send a test event to a webhook.',
    description:
      'The test event is signed and sent like any delivery, with the additional header `Tradepost-Test: true`, and attempted once. It refers to nothing: each of its IDs has `TradepostTest` after the prefix, as in `ord_TradepostTest01KAJ8Q0V7T3M5X9R2C4D6F8GH`, and so has its own ID, `webhook-id`. `Location` is the path of the delivery. If the webhook is paused, the response is a 409.',
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: sendTestEventSchema,
    responses: {
      202: deliveryResponseSchema,
      ...problemResponses(404, 409, 413, 415),
    },
    metadata: {
      operationId: 'sendTestEvent',
      extension: true,
      responseHeaders: ['location', 'idempotentReplayed'],
      problems: ['webhook_not_found', 'webhook_paused'],
    } as RouteMetadata,
  },
  replayDeliveries: {
    ...endpoints.webhooks.replayDeliveries,
    query: noQuerySchema,
    summary: 'Replay deliveries to a webhook.',
    description: [
      'Replays the newest deliveries that match, up to `limit`: without a `state`, those that failed. Each is replayed as `POST /v1/deliveries/{id}/replay` does it: they are due immediately, oldest first, their deadline is 24 hours from now, and the backoff of the endpoint ends. Those with an attempt in flight are left out. While the webhook is paused, they wait until it is resumed.',
      'To replay all, repeat the request with `cursor` until `nextCursor` is null. With `state` `pending`, what waits for its next attempt is due now; with `delivered`, the receiver gets again what it has accepted.',
    ].join('\n\n'),
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: replayDeliveriesSchema,
    responses: {
      202: replayedDeliveriesResponseSchema,
      ...problemResponses(404, 413, 415),
    },
    metadata: {
      operationId: 'replayDeliveries',
      extension: true,
      responseHeaders: ['idempotentReplayed'],
      problems: ['webhook_not_found', 'invalid_cursor'],
    } as RouteMetadata,
  },
});
