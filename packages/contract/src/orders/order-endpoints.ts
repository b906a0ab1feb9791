import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { orderIdSchema, pathIdSchema } from '../field-schemas';
import { endpoints } from '../http/endpoints';
import { dataSchema, pageSchema } from '../http/page-schemas';
import { idempotencyKeySchema, ifMatchSchema } from '../http/request-headers';
import { noQuerySchema } from '../http/request-schemas';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-responses';
import {
  createOrderSchema,
  listOrdersSchema,
  orderSchema,
  updateOrderSchema,
} from './order-schemas';

const orderPath = z.object({ id: pathIdSchema(orderIdSchema) });

/** The four order endpoints. Source: the interface, "Endpoints". */
export const orderEndpoints = initContract().router({
  list: {
    ...endpoints.orders.list,
    summary: 'List the orders visible to the authenticated account, newest first.',
    description:
      'Visible are the orders that the account is the buyer, the seller or the agent of.',
    query: listOrdersSchema,
    responses: { 200: pageSchema(orderSchema), ...problemResponses() },
    metadata: {
      operationId: 'listOrders',
      extension: false,
      answerHeaders: [],
      interfaceQuery: ['status'],
    } as RouteNotes,
  },
  create: {
    ...endpoints.orders.create,
    query: noQuerySchema,
    summary: 'Create an order. Buyer accounts only.',
    description:
      'The order takes its seller and agent from the listing, and its quantity from what the listing has available. It starts `pending`.',
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: createOrderSchema,
    responses: { 201: dataSchema(orderSchema), ...problemResponses(403, 409, 413, 415) },
    metadata: {
      operationId: 'createOrder',
      extension: false,
      answerHeaders: ['location', 'etag', 'idempotentReplayed'],
    } as RouteNotes,
  },
  get: {
    ...endpoints.orders.get,
    query: noQuerySchema,
    summary: 'Get one order.',
    description: 'An order that the account may not see is answered as one that does not exist.',
    pathParams: orderPath,
    responses: { 200: dataSchema(orderSchema), ...problemResponses(404) },
    metadata: { operationId: 'getOrder', extension: false, answerHeaders: ['etag'] } as RouteNotes,
  },
  update: {
    ...endpoints.orders.update,
    query: noQuerySchema,
    summary: "Update an order's status. Seller and agent accounts.",
    description: [
      'An order moves from `pending` to `confirmed`, `fulfilling` or `cancelled`; from `confirmed` to `fulfilling` or `cancelled`; from `fulfilling` to `completed` or `cancelled`. `completed` and `cancelled` are final; a cancelled order gives its quantity back to the listing.',
      'The status that the order already has is accepted and changes nothing, so a repeated request is safe. Send `If-Match` with the `ETag` you read to change the order only if nobody else has.',
    ].join('\n\n'),
    pathParams: orderPath,
    headers: { 'if-match': ifMatchSchema },
    body: updateOrderSchema,
    responses: { 200: dataSchema(orderSchema), ...problemResponses(403, 404, 409, 412, 413, 415) },
    metadata: {
      operationId: 'updateOrder',
      extension: false,
      answerHeaders: ['etag'],
    } as RouteNotes,
  },
});
