import type { AppRouter } from '@ts-rest/core';
import * as z from 'zod';
import { type CreateDocumentOptions, createDocument, type oas31 } from 'zod-openapi';
import { webhookEventSchema } from '../events/event-schemas';
import { deliveries } from './deliveries';
import { pathsOf } from './operations';
import { routesOf } from './routes';
import { bearer, info, servers } from './service-info';

const options: CreateDocumentOptions = {
  override({ zodSchema, jsonSchema, io }) {
    // What the service sends may have fields that are added later.
    if (io === 'output' && zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties;
    // zod's bound for every integer is that of JavaScript, not of the service.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // The format says it; zod's pattern for it fills five lines.
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  },
};

/** Puts what is said of a parameter beside its schema, not inside it: that is where tools show it. */
function tidyParameter(parameter: oas31.ParameterObject | oas31.ReferenceObject) {
  if (!('schema' in parameter) || parameter.schema === undefined) return;
  // The marks are beside it already; of a schema that is a reference, they are left in it as well.
  const written = parameter.schema as oas31.SchemaObject & { param?: unknown };
  const { description, param: _, ...schema } = written;
  parameter.schema = schema;
  if (description !== undefined) parameter.description = description;
}

function sorted<Value>(entries: Record<string, Value> | undefined): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The OpenAPI 3.1 document of a contract. A route that is added to the contract appears by itself. */
export function openApiDocument(contract: AppRouter): oas31.OpenAPIObject {
  const routes = routesOf(contract);
  const nouns = new Set([...routes.map(({ noun }) => noun), 'deliveries']);
  const document = createDocument(
    {
      openapi: '3.1.0',
      info,
      servers,
      security: [{ bearer: [] }],
      tags: [...nouns].map((name) => ({ name })),
      paths: pathsOf(routes),
      webhooks: deliveries(),
      components: {
        securitySchemes: { bearer },
        schemas: { WebhookEvent: webhookEventSchema },
      },
    },
    options,
  );
  for (const item of Object.values({ ...document.paths, ...document.webhooks })) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      operation?.parameters?.forEach(tidyParameter);
    }
  }
  const { schemas, headers, responses, ...others } = document.components ?? {};
  return {
    ...document,
    components: {
      schemas: sorted(schemas),
      responses: sorted(responses),
      headers: sorted(headers),
      ...others,
    },
  };
}
