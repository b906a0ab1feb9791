import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import { dataSchema } from '../http/page-schemas';
import { idempotencyKeySchema } from '../http/request-headers';
import { noQuerySchema } from '../http/request-schemas';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-schema';
import { createdWebhookSchema, createWebhookSchema } from './webhook-schemas';

/** The webhook endpoint. Source: the interface, "Endpoints". */
export const webhookEndpoints = initContract().router({
  create: {
    ...endpoints.webhooks.create,
    query: noQuerySchema,
    summary: 'Register a webhook. The answer alone tells its endpoint secret.',
    description:
      'The webhook receives a signed delivery for each event that it subscribes to and that the account may see. Keep `secret`: it verifies deliveries and is never told again.',
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: createWebhookSchema,
    responses: { 201: dataSchema(createdWebhookSchema), ...problemResponses(403, 409, 413, 415) },
    metadata: {
      operationId: 'createWebhook',
      extension: false,
      answerHeaders: ['location', 'idempotentReplayed'],
    } as RouteNotes,
  },
});
