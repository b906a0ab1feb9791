import type { AppRouter } from '@ts-rest/core';
import type { oas31 } from 'zod-openapi';
import { buildOpenApiDocument } from './openapi-document';

type Schemas = Record<string, oas31.SchemaObject>;

/** An event of a type that the document does not list. It has what all events have. */
const otherEvent: oas31.SchemaObject = {
  type: 'object',
  properties: {
    event: { type: 'string', description: 'Type of the event.' },
    createdAt: { type: 'string', format: 'date-time', description: 'ISO 8601 UTC timestamp.' },
    data: { type: 'object', additionalProperties: true },
    id: { type: 'string', description: 'ID of the event. A delivery has it in `webhook-id`.' },
  },
  required: ['event', 'createdAt', 'data'],
  description: 'An event of a type that was added after this document. Ignore it.',
};

function openEnumeration(schema: oas31.SchemaObject): oas31.SchemaObject {
  const { enum: known, ...others } = schema;
  if (known === undefined) return schema;
  const list = known.map((value) => `\`${value}\``).join(', ');
  const description = [schema.description, `Known values: ${list}.`].join(' ');
  return { ...others, description, 'x-extensible-enum': known } as oas31.SchemaObject;
}

function openUnion(schema: oas31.SchemaObject): oas31.SchemaObject {
  const { oneOf = [], discriminator: _, ...others } = schema;
  // Generated clients take the first schema that fits, so this one is the last. It fits the listed types too, so the
  // union is no `oneOf`.
  return { ...others, anyOf: [...oneOf, { $ref: '#/components/schemas/OtherEvent' }] };
}

/**
 * Builds a document whose generated clients read what later versions of the service add: enumerations are texts, with
 * their values in `x-extensible-enum`, and an event of an unknown type is an `OtherEvent`. It is OpenAPI 3.0, which all
 * generators read. It says the same as the others of what a client sends, except that it allows any text there too.
 */
export function buildTolerantDocument(contract: AppRouter): oas31.OpenAPIObject {
  const document = buildOpenApiDocument(contract, '3.0.3');
  const schemas = document.components?.schemas as Schemas;
  const opened: Schemas = { ...schemas, OtherEvent: otherEvent };
  for (const [name, schema] of Object.entries(schemas)) opened[name] = openEnumeration(schema);
  for (const name of ['AccountEvent', 'WebhookEvent'])
    opened[name] = openUnion(schemas[name] ?? {});
  const sorted = Object.entries(opened).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(sorted) },
  };
}
