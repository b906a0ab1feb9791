import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { orderIdSchema } from '../field-schemas';
import { endpoints } from '../http/endpoints';
import { dataSchema, pageSchema } from '../http/page-schemas';
import { idempotencyKeySchema, ifMatchSchema } from '../http/request-headers';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-schema';
import {
  createOrderSchema,
  listOrdersSchema,
  orderSchema,
  updateOrderSchema,
} from './order-schemas';

const orderPath = z.object({ id: orderIdSchema });

/** The four order endpoints. Source: the interface, "Endpoints". */
export const orderEndpoints = initContract().router({
  list: {
    ...endpoints.orders.list,
    summary: 'List the orders visible to the authenticated account, newest first.',
    query: listOrdersSchema,
    responses: { 200: pageSchema(orderSchema), ...problemResponses() },
    metadata: { operationId: 'listOrders', extension: false, answerHeaders: [] } as RouteNotes,
  },
  create: {
    ...endpoints.orders.create,
    summary: 'Create an order. Buyer accounts only.',
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
    summary: 'Get one order.',
    pathParams: orderPath,
    responses: { 200: dataSchema(orderSchema), ...problemResponses(404) },
    metadata: { operationId: 'getOrder', extension: false, answerHeaders: ['etag'] } as RouteNotes,
  },
  update: {
    ...endpoints.orders.update,
    summary: "Update an order's status. Seller and agent accounts.",
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
