import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import { noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import { accountResponseSchema } from './account-schemas';

/** The account endpoint, an extension. */
export const accountEndpoints = initContract().router({
  get: {
    ...endpoints.account.get,
    query: noQuerySchema,
    summary: 'Get the account of the API key.',
    description:
      'Returns the account, and the non-secret properties of the key of this request. A read-only key may call it too.',
    responses: { 200: accountResponseSchema, ...problemResponses() },
    metadata: { operationId: 'getAccount', extension: true, responseHeaders: [] } as RouteMetadata,
  },
});
