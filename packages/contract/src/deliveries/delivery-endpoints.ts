import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { deliveryIdSchema, pathIdSchema } from '../field-schemas';
import { endpoints } from '../http/endpoints';
import { dataSchema, pageSchema } from '../http/page-schemas';
import { idempotencyKeySchema } from '../http/request-headers';
import { emptyBodySchema, noQuerySchema } from '../http/request-schemas';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-responses';
import { deliveryDetailsSchema, deliverySchema, listDeliveriesSchema } from './delivery-schemas';

const deliveryPath = z.object({ id: pathIdSchema(deliveryIdSchema) });

/** The three delivery endpoints. The interface has none of them. */
export const deliveryEndpoints = initContract().router({
  list: {
    ...endpoints.deliveries.list,
    summary: "List the deliveries to the account's webhooks, newest first.",
    description: 'Deliveries to a webhook that was removed are not listed.',
    query: listDeliveriesSchema,
    responses: { 200: pageSchema(deliverySchema), ...problemResponses() },
    metadata: { operationId: 'listDeliveries', extension: true, answerHeaders: [] } as RouteNotes,
  },
  get: {
    ...endpoints.deliveries.get,
    query: noQuerySchema,
    summary: 'Get one delivery: its exact body, and each attempt with what came of it.',
    description:
      'A delivery to a webhook of another account, or to one that was removed, is answered as one that does not exist.',
    pathParams: deliveryPath,
    responses: { 200: dataSchema(deliveryDetailsSchema), ...problemResponses(404) },
    metadata: { operationId: 'getDelivery', extension: true, answerHeaders: [] } as RouteNotes,
  },
  replay: {
    ...endpoints.deliveries.replay,
    query: noQuerySchema,
    summary: 'Send a delivery again.',
    description:
      'Whether it failed, was delivered or waits for its next attempt: it is due at once, and has 24 hours from now. It carries the same bytes and the same `webhook-id` as before. While an attempt is under way this is a 409.',
    pathParams: deliveryPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: emptyBodySchema,
    responses: { 202: dataSchema(deliverySchema), ...problemResponses(403, 404, 409, 413, 415) },
    metadata: {
      operationId: 'replayDelivery',
      extension: true,
      answerHeaders: ['idempotentReplayed'],
    } as RouteNotes,
  },
});
