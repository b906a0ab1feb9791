import type { AppRouter } from '@ts-rest/core';
import * as z from 'zod';
import { type CreateDocumentOptions, createDocument, type oas31 } from 'zod-openapi';
import { webhookEventSchema } from '../events/event-schemas';
import { buildDeliveries } from './deliveries';
import { buildPaths } from './operations';
import { listRoutes } from './routes';
import { bearer, buildInfo, servers } from './service-info';
import { buildTags, receiverTag } from './tags';

/** A version of OpenAPI that the document is written in. */
type OpenApiVersion = '3.1.0' | '3.0.3';

function createOptions(version: OpenApiVersion): CreateDocumentOptions {
  const override: CreateDocumentOptions['override'] = ({ zodSchema, jsonSchema, io }) => {
    // Later versions may add fields to responses.
    if (io === 'output' && zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties;
    // zod gives every integer the bound of JavaScript, which is not one of the service.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // The format is enough; the pattern that zod adds is five lines long.
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    if (version === '3.0.3') delete jsonSchema.propertyNames;
    if (version === '3.0.3' && jsonSchema.examples !== undefined) {
      const { examples } = jsonSchema;
      delete jsonSchema.examples;
      jsonSchema.example = examples[0];
    }
  };
  return { override };
}

/** Moves the description of a parameter from its schema to the parameter, where tools show it. */
function moveDescription(parameter: oas31.ParameterObject | oas31.ReferenceObject) {
  if (!('schema' in parameter) || parameter.schema === undefined) return;
  // zod-openapi has copied `param` to the parameter, and leaves it in schemas that are references.
  const written = parameter.schema as oas31.SchemaObject & { param?: unknown };
  const { description, param: _, ...schema } = written;
  parameter.schema = schema;
  if (description !== undefined) parameter.description = description;
}

/**
 * Returns the document with each `allOf` of one schema replaced by that schema. For 3.0, zod-openapi writes it so that a reference
 * can have other keywords beside it, also where there are none: some client generators make a class of it. Lists of values that may
 * be null get null.
 */
function unwrapSingleSchemas(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(unwrapSingleSchemas);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node);
  const [[keyword, value] = []] = entries;
  if (entries.length === 1 && keyword === 'allOf' && Array.isArray(value) && value.length === 1) {
    return unwrapSingleSchemas(value[0]);
  }
  const { nullable, enum: values } = node as { nullable?: unknown; enum?: unknown };
  const isNullableEnum = nullable === true && Array.isArray(values) && !values.includes(null);
  return Object.fromEntries([
    ...entries.map(([key, child]) => [key, unwrapSingleSchemas(child)]),
    // In 3.0 `nullable` alone does not allow null where values are listed.
    ...(isNullableEnum ? [['enum', [...values, null]]] : []),
  ]);
}

/**
 * Writes the response for all other statuses as two ranges. Generators of OpenAPI 3.0 that take `default` for a
 * success too, such as progenitor, would find two types of success in each operation.
 */
function splitDefaultResponse(operation: oas31.OperationObject): void {
  const { default: other, ...responses } = operation.responses ?? {};
  if (other !== undefined) operation.responses = { ...responses, '4XX': other, '5XX': other };
}

function sortKeys<Value>(entries: Record<string, Value> | undefined): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Builds the OpenAPI document of a contract, with every route of the contract.
 *
 * @param version With 3.0.3, which some client generators need, it has no `webhooks`, because only 3.1 has them, and
 * `4XX` and `5XX` instead of `default`. The schemas of the deliveries are the same.
 */
export function buildOpenApiDocument(
  contract: AppRouter,
  version: OpenApiVersion = '3.1.0',
): oas31.OpenAPIObject {
  const routes = listRoutes(contract);
  const hasWebhooks = version === '3.1.0';
  const document = createDocument(
    {
      openapi: version,
      info: buildInfo(version),
      servers,
      security: [{ bearer: [] }],
      tags: buildTags([...routes.map(({ noun }) => noun), ...(hasWebhooks ? [receiverTag] : [])]),
      paths: buildPaths(routes),
      ...(hasWebhooks && { webhooks: buildDeliveries() }),
      components: {
        securitySchemes: { bearer },
        schemas: { WebhookEvent: webhookEventSchema },
      },
    },
    createOptions(version),
  );
  for (const item of Object.values({ ...document.paths, ...document.webhooks })) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      if (operation === undefined) continue;
      operation.parameters?.forEach(moveDescription);
      if (version === '3.0.3') splitDefaultResponse(operation);
    }
  }
  Object.values(document.components?.parameters ?? {}).forEach(moveDescription);
  const { schemas, headers, responses, ...others } = document.components ?? {};
  const sorted: oas31.OpenAPIObject = {
    ...document,
    components: {
      schemas: sortKeys(schemas),
      responses: sortKeys(responses),
      headers: sortKeys(headers),
      ...others,
    },
  };
  return version === '3.0.3' ? (unwrapSingleSchemas(sorted) as oas31.OpenAPIObject) : sorted;
}
