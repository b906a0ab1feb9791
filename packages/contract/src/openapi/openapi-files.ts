import type { AppRouter } from '@ts-rest/core';
import type { oas31 } from 'zod-openapi';
import { buildOpenApiDocument } from './openapi-document';
import { buildTolerantDocument } from './tolerant-document';

/** The OpenAPI documents that this package ships, by file name. */
export const openApiFiles = {
  'openapi.json': buildOpenApiDocument,
  'openapi-3.0.json': (contract) => buildOpenApiDocument(contract, '3.0.3'),
  'openapi-tolerant.json': buildTolerantDocument,
} satisfies Record<string, (contract: AppRouter) => oas31.OpenAPIObject>;
