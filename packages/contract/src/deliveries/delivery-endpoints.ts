import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { endpoints } from '../http/endpoints';
import { deliveryIdSchema, pathIdSchema } from '../http/field-schemas';
import { idempotencyKeySchema, noBodySchema, noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import {
  deliveryDetailsResponseSchema,
  deliveryPageSchema,
  deliveryResponseSchema,
  listDeliveriesSchema,
} from './delivery-schemas';

const deliveryPath = z.object({ id: pathIdSchema(deliveryIdSchema) });

/** The delivery endpoints, all of them extensions. */
export const deliveryEndpoints = initContract().router({
  list: {
    ...endpoints.deliveries.list,
    summary: "List the deliveries to the account's webhooks, newest first.",
    description: 'Deliveries to a deleted webhook are not listed.',
    query: listDeliveriesSchema,
    responses: { 200: deliveryPageSchema, ...problemResponses() },
    metadata: {
      operationId: 'listDeliveries',
      extension: true,
      responseHeaders: [],
    } as RouteMetadata,
  },
  get: {
    ...endpoints.deliveries.get,
    query: noQuerySchema,
    summary: 'Get one delivery with its exact body and its attempts.',
    description:
      'A delivery to a webhook of another account, or to a deleted webhook, is a 404, like one that does not exist.',
    pathParams: deliveryPath,
    responses: { 200: deliveryDetailsResponseSchema, ...problemResponses(404) },
    metadata: {
      operationId: 'getDelivery',
      extension: true,
      responseHeaders: [],
      problems: ['delivery_not_found'],
    } as RouteMetadata,
  },
  replay: {
    ...endpoints.deliveries.replay,
    query: noQuerySchema,
    summary: 'Replay a delivery.',
    description:
      'Any delivery can be replayed, whatever its state. It is due immediately, its deadline is 24 hours from now, and it sends the same bytes with the same `webhook-id` as before. While an attempt is in flight the response is a 409.',
    pathParams: deliveryPath,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: noBodySchema,
    responses: {
      202: deliveryResponseSchema,
      ...problemResponses(404, 409, 413, 415),
    },
    metadata: {
      operationId: 'replayDelivery',
      extension: true,
      responseHeaders: ['idempotentReplayed'],
      problems: ['delivery_not_found', 'delivery_in_progress'],
    } as RouteMetadata,
  },
});
