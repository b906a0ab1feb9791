import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { endpoints } from '../http/endpoints';
import { orderIdSchema, pathIdSchema } from '../http/field-schemas';
import { idempotencyKeySchema, ifMatchSchema, noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import {
  createOrderSchema,
  getOrderSchema,
  listOrdersSchema,
  orderPageSchema,
  orderResponseSchema,
  updateOrderSchema,
} from './order-schemas';
import { timelineLimits } from './timeline';
import { orderTimelineResponseSchema } from './timeline-schemas';

const orderPath = z.object({ id: pathIdSchema(orderIdSchema) });

/** The order endpoints. Source: API specification, "Endpoints". */
export const orderEndpoints = initContract().router({
  list: {
    ...endpoints.orders.list,
    summary: 'List the orders visible to the authenticated account, newest first.',
    description: 'An account sees the orders of which it is the buyer, the seller or the agent.',
    query: listOrdersSchema,
    responses: { 200: orderPageSchema, ...problemResponses() },
    metadata: {
      operationId: 'listOrders',
      extension: false,
      responseHeaders: [],
      specQuery: ['status'],
    } as RouteMetadata,
  },
  create: {
    ...endpoints.orders.create,
    query: noQuerySchema,
    summary: 'Create an order. Buyer accounts only.',
    description:
      'The listing determines the seller and the agent. The quantity is taken from the available quantity of the listing. The order starts as `pending`.',
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: createOrderSchema,
    responses: { 201: orderResponseSchema, ...problemResponses(409, 413, 415) },
    metadata: {
      operationId: 'createOrder',
      extension: false,
      responseHeaders: ['location', 'etag', 'orderVersion', 'idempotentReplayed'],
      problems: ['account_kind_not_allowed', 'insufficient_quantity', 'listing_not_found'],
    } as RouteMetadata,
  },
  get: {
    ...endpoints.orders.get,
    query: getOrderSchema,
    summary: 'Get one order.',
    description: 'An order that the account may not see is a 404, like one that does not exist.',
    pathParams: orderPath,
    responses: { 200: orderResponseSchema, ...problemResponses(404) },
    metadata: {
      operationId: 'getOrder',
      extension: false,
      responseHeaders: ['etag', 'orderVersion'],
      problems: ['order_not_found'],
    } as RouteMetadata,
  },
  update: {
    ...endpoints.orders.update,
    query: noQuerySchema,
    summary: "Update an order's status. Seller and agent accounts.",
    description: [
      'An order moves from `pending` to `confirmed`, `fulfilling` or `cancelled`; from `confirmed` to `fulfilling` or `cancelled`; from `fulfilling` to `completed` or `cancelled`. `completed` and `cancelled` are final. Cancelling an order returns its quantity to the listing.',
      'The current status is accepted and changes nothing, so a repeated request is safe. `Tradepost-Changed` says whether this request made the change: of several clients that request the same one, exactly one gets `true`. A client that repeats a request whose response was lost may get `false` although its first request made the change.',
      '`reason`, an extension, says why the order changes. It is stored in the `order.status_changed` event: everyone who may see the order, and the receivers of their webhooks, see it.',
      'To update the order only if it has not changed since you read it, send its `ETag` as `If-Match`.',
    ].join('\n\n'),
    pathParams: orderPath,
    headers: { 'if-match': ifMatchSchema },
    body: updateOrderSchema,
    responses: {
      200: orderResponseSchema,
      ...problemResponses(404, 409, 412, 413, 415),
    },
    metadata: {
      operationId: 'updateOrder',
      extension: false,
      responseHeaders: ['etag', 'orderVersion', 'changed'],
      problems: ['account_kind_not_allowed', 'order_not_found', 'invalid_transition'],
    } as RouteMetadata,
  },
  timeline: {
    ...endpoints.orders.timeline,
    query: noQuerySchema,
    summary: 'Get what happened to an order, from each change to the attempts of its deliveries.',
    description: [
      "One entry for each event of the order that the account may see, oldest first: the change of status that it reports and who made it, the event, the account's own notification, and the deliveries to the account's own webhooks with their last attempts. All of it is of one moment. Other accounts' notifications and deliveries never appear, nor those of deleted webhooks.",
      `An order has few events. A response has at most ${timelineLimits.entries} entries, each with one delivery for each webhook of the account, and at most ${timelineLimits.attempts} attempts of each delivery. \`GET /v1/deliveries/{id}\` has all stored attempts with headers and bodies, and \`GET /v1/events/{id}\` has the data of an event.`,
      '`prunedBefore` says that older events may no longer be stored.',
    ].join('\n\n'),
    pathParams: orderPath,
    responses: { 200: orderTimelineResponseSchema, ...problemResponses(404) },
    metadata: {
      operationId: 'getOrderTimeline',
      extension: true,
      responseHeaders: ['orderVersion'],
      problems: ['order_not_found'],
    } as RouteMetadata,
  },
});
