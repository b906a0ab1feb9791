import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import { problemResponses, type RouteMetadata } from '../http/routes';
import { listPartnersSchema, partnerPageSchema } from './partner-schemas';

/** The partner endpoint, an extension. */
export const partnerEndpoints = initContract().router({
  list: {
    ...endpoints.partners.list,
    summary: 'List the accounts with which the account has traded.',
    description:
      'They are the other buyers, sellers and agents of its orders, whose names `expand` shows too. The newest account comes first.',
    query: listPartnersSchema,
    responses: { 200: partnerPageSchema, ...problemResponses() },
    metadata: {
      operationId: 'listPartners',
      extension: true,
      responseHeaders: [],
    } as RouteMetadata,
  },
});
