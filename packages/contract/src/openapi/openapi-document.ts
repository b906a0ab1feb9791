import type { AppRouter } from '@ts-rest/core';
import * as z from 'zod';
import { type CreateDocumentOptions, createDocument, type oas31 } from 'zod-openapi';
import { webhookEventSchema } from '../events/event-schemas';
import { buildDeliveries } from './deliveries';
import { buildPaths } from './operations';
import { listRoutes } from './routes';
import { bearer, info, servers } from './service-info';

const options: CreateDocumentOptions = {
  override({ zodSchema, jsonSchema, io }) {
    // Later versions may add fields to responses.
    if (io === 'output' && zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties;
    // zod gives every integer the bound of JavaScript, which is not one of the service.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // The format is enough; the pattern that zod adds is five lines long.
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  },
};

/** Moves the description of a parameter from its schema to the parameter, where tools show it. */
function moveDescription(parameter: oas31.ParameterObject | oas31.ReferenceObject) {
  if (!('schema' in parameter) || parameter.schema === undefined) return;
  // zod-openapi has copied `param` to the parameter, and leaves it in schemas that are references.
  const written = parameter.schema as oas31.SchemaObject & { param?: unknown };
  const { description, param: _, ...schema } = written;
  parameter.schema = schema;
  if (description !== undefined) parameter.description = description;
}

function sortKeys<Value>(entries: Record<string, Value> | undefined): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Builds the OpenAPI 3.1 document of a contract, with every route of the contract. */
export function buildOpenApiDocument(contract: AppRouter): oas31.OpenAPIObject {
  const routes = listRoutes(contract);
  const nouns = new Set([...routes.map(({ noun }) => noun), 'deliveries']);
  const document = createDocument(
    {
      openapi: '3.1.0',
      info,
      servers,
      security: [{ bearer: [] }],
      tags: [...nouns].map((name) => ({ name })),
      paths: buildPaths(routes),
      webhooks: buildDeliveries(),
      components: {
        securitySchemes: { bearer },
        schemas: { WebhookEvent: webhookEventSchema },
      },
    },
    options,
  );
  for (const item of Object.values({ ...document.paths, ...document.webhooks })) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      operation?.parameters?.forEach(moveDescription);
    }
  }
  const { schemas, headers, responses, ...others } = document.components ?? {};
  return {
    ...document,
    components: {
      schemas: sortKeys(schemas),
      responses: sortKeys(responses),
      headers: sortKeys(headers),
      ...others,
    },
  };
}
