import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { deliverySchema } from '../deliveries/delivery-schemas';
import { pathIdSchema, webhookIdSchema } from '../field-schemas';
import { endpoints } from '../http/endpoints';
import { dataSchema, pageSchema } from '../http/page-schemas';
import { idempotencyKeySchema } from '../http/request-headers';
import { emptyBodySchema, noQuerySchema } from '../http/request-schemas';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-responses';
import {
  createdWebhookSchema,
  createWebhookSchema,
  listWebhooksSchema,
  stagedSecretSchema,
  testWebhookSchema,
  updateWebhookSchema,
  webhookDetailsSchema,
} from './webhook-schemas';

const c = initContract();
const webhookPath = z.object({ id: pathIdSchema(webhookIdSchema) });

/** The webhook endpoints. The interface has `create` ("Endpoints"); the others go beyond it. */
export const webhookEndpoints = c.router({
  create: {
    ...endpoints.webhooks.create,
    query: noQuerySchema,
    summary: 'Register a webhook. The answer alone tells its endpoint secret.',
    description:
      'The webhook receives a signed delivery for each event that it subscribes to and that the account may see. Keep `secret`: it verifies deliveries and is never told again. Once the webhook is deleted, a request that repeats its idempotency key is a 409 `webhook_deleted`.',
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: createWebhookSchema,
    responses: { 201: dataSchema(createdWebhookSchema), ...problemResponses(403, 409, 413, 415) },
    metadata: {
      operationId: 'createWebhook',
      extension: false,
      answerHeaders: ['location', 'idempotentReplayed'],
    } as RouteNotes,
  },
  list: {
    ...endpoints.webhooks.list,
    summary: 'List the webhooks of the authenticated account, newest first.',
    description: 'Each with how its deliveries fare. Secrets are never told again.',
    query: listWebhooksSchema,
    responses: { 200: pageSchema(webhookDetailsSchema), ...problemResponses() },
    metadata: { operationId: 'listWebhooks', extension: true, answerHeaders: [] } as RouteNotes,
  },
  get: {
    ...endpoints.webhooks.get,
    query: noQuerySchema,
    summary: 'Get one webhook.',
    description: 'A webhook of another account is answered as one that does not exist.',
    pathParams: webhookPath,
    responses: { 200: dataSchema(webhookDetailsSchema), ...problemResponses(404) },
    metadata: { operationId: 'getWebhook', extension: true, answerHeaders: [] } as RouteNotes,
  },
  update: {
    ...endpoints.webhooks.update,
    query: noQuerySchema,
    summary: 'Change where a webhook is sent, what it subscribes to, or pause and resume it.',
    description:
      'What is left out stays as it is. A new `url` holds for deliveries that wait, too. While the webhook is `paused` nothing is sent to it: its deliveries wait, new ones too, until their 24 hours are over; `active` again, it goes on.',
    pathParams: webhookPath,
    body: updateWebhookSchema,
    responses: { 200: dataSchema(webhookDetailsSchema), ...problemResponses(403, 404, 413, 415) },
    metadata: { operationId: 'updateWebhook', extension: true, answerHeaders: [] } as RouteNotes,
  },
  remove: {
    ...endpoints.webhooks.remove,
    query: noQuerySchema,
    summary: 'Remove a webhook.',
    description:
      'Deliveries that wait are not sent any more, and none of its deliveries is listed.',
    pathParams: webhookPath,
    responses: { 204: c.noBody(), ...problemResponses(403, 404) },
    metadata: { operationId: 'removeWebhook', extension: true, answerHeaders: [] } as RouteNotes,
  },
  stageSecret: {
    ...endpoints.webhooks.stageSecret,
    query: noQuerySchema,
    summary: 'Stage a new endpoint secret. This answer alone tells it.',
    description: [
      'From now on `webhook-signature` is made with both secrets, and `Service-Signature` with the current one. Let your receivers accept both, then promote the new one.',
      'Staging again replaces the secret that was staged before.',
    ].join('\n\n'),
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: emptyBodySchema,
    responses: {
      201: dataSchema(stagedSecretSchema),
      ...problemResponses(403, 404, 409, 413, 415),
    },
    metadata: {
      operationId: 'stageWebhookSecret',
      extension: true,
      answerHeaders: ['idempotentReplayed'],
    } as RouteNotes,
  },
  promoteSecret: {
    ...endpoints.webhooks.promoteSecret,
    query: noQuerySchema,
    summary: 'Make the staged secret the current one.',
    description:
      'From now on both signatures are made with it alone, and the secret before it signs nothing any more. When none is staged this is a 409.',
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: emptyBodySchema,
    responses: {
      200: dataSchema(webhookDetailsSchema),
      ...problemResponses(403, 404, 409, 413, 415),
    },
    metadata: {
      operationId: 'promoteWebhookSecret',
      extension: true,
      answerHeaders: ['idempotentReplayed'],
    } as RouteNotes,
  },
  test: {
    ...endpoints.webhooks.test,
    query: noQuerySchema,
    summary: 'Send a sample of an event to a webhook.',
    description:
      'The sample is signed and sent as any delivery is, with the header `Tradepost-Test: true` besides, and tried once. `Location` is where to see what came of it. To a paused webhook nothing is sent: that is a 409.',
    pathParams: webhookPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: testWebhookSchema,
    responses: { 202: dataSchema(deliverySchema), ...problemResponses(403, 404, 409, 413, 415) },
    metadata: {
      operationId: 'testWebhook',
      extension: true,
      answerHeaders: ['location', 'idempotentReplayed'],
    } as RouteNotes,
  },
});
