import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import { dataSchema } from '../http/page-schemas';
import { noQuerySchema } from '../http/request-schemas';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-responses';
import { accountSchema } from './account-schemas';

/** The account endpoint. The interface does not have it. */
export const accountEndpoints = initContract().router({
  get: {
    ...endpoints.account.get,
    query: noQuerySchema,
    summary: 'Tell whose API key this is.',
    description:
      'The account, and what may be told of the key that the request was made with. A key that may only read may ask, too.',
    responses: { 200: dataSchema(accountSchema), ...problemResponses() },
    metadata: { operationId: 'getAccount', extension: true, answerHeaders: [] } as RouteNotes,
  },
});
