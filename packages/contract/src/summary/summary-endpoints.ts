import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import { noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import { summaryLimits } from './summary';
import { summaryResponseSchema } from './summary-schemas';

/** The summary endpoint, an extension. */
export const summaryEndpoints = initContract().router({
  get: {
    ...endpoints.summary.get,
    query: noQuerySchema,
    summary: 'Get the state of the account at a glance.',
    description: [
      'How many orders have each status, how many notifications are unread, and how the webhooks fare. An account sees the orders of which it is the buyer, the seller or the agent, as in `GET /v1/orders`.',
      `Nothing is counted beyond ${summaryLimits.count.toLocaleString('en')}: then \`atLeast\` is true. The service may return a summary again for ${summaryLimits.maxAgeSeconds} seconds; \`asOf\` says when it was counted.`,
    ].join('\n\n'),
    responses: { 200: summaryResponseSchema, ...problemResponses() },
    metadata: { operationId: 'getSummary', extension: true, responseHeaders: [] } as RouteMetadata,
  },
});
