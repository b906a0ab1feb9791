import * as z from 'zod';
import { accountSchema } from '../accounts/account-schemas';
import { deliveryDetailsSchema, deliverySchema } from '../deliveries/delivery-schemas';
import { accountEventSchema, webhookEventSchema } from '../events/event-schemas';
import { timestampSchema } from '../http/field-schemas';
import { notificationSchema } from '../notifications/notification-schemas';
import { operationExamples } from '../openapi/examples';
import { signedExample } from '../openapi/signed-example';
import { orderSchema } from '../orders/order-schemas';
import { partnerSchema } from '../partners/partner-schemas';
import { problems, problemType } from '../problems/problem';
import { problemSchema } from '../problems/problem-schema';
import { sampleEvents } from '../vectors/genuine';
import {
  createdWebhookSchema,
  stagedSecretSchema,
  webhookDetailsSchema,
} from '../webhooks/webhook-schemas';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Lets readers accept what later versions add, and writes only keywords of JSON Schema. */
const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({
  zodSchema,
  jsonSchema,
}) => {
  if (zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties;
  if (zodSchema instanceof z.ZodEnum) {
    const { type, enum: known } = jsonSchema;
    delete jsonSchema.type;
    delete jsonSchema.enum;
    jsonSchema.anyOf = [{ enum: known }, { type }] as JsonSchema[];
  }
  // zod gives every integer the bound of JavaScript, which is not one of the service.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // The format is enough; the pattern that zod adds is five lines long.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if ('x-extension' in jsonSchema) {
    delete jsonSchema['x-extension'];
    jsonSchema.description = `${jsonSchema.description} An extension: a service may leave it out.`;
  }
};

function toJsonSchema(id: string, schema: z.ZodType, examples: unknown[]): JsonSchema {
  const { $schema, $defs = {} } = z.toJSONSchema(schema, { override });
  // zod writes a named schema as a definition and a reference to it. Generators name a type by the title.
  const title = schema.meta()?.id ?? '';
  const { [title]: own, ...others } = $defs;
  if (own === undefined) throw new Error(`The schema of ${id} has no name: give it an \`id\`.`);
  const definitions = Object.keys(others).length > 0 && { $defs: others };
  const head = { $schema, $id: `urn:tradepost:schema:${id}`, title };
  return { ...head, ...own, examples, ...definitions } as JsonSchema;
}

/** What events of all types have, also of those that later versions add. */
const anyEventSchema = z.object({
  event: z.string().meta({ description: 'Type of the event. Ignore types that you do not know.' }),
  createdAt: timestampSchema,
  data: z.looseObject({}).meta({ description: 'Depends on the type.' }),
});

/** The same in the event log. */
const anyAccountEventSchema = anyEventSchema.extend({
  id: accountEventSchema.options[0].shape.id,
});

type EventUnion = typeof webhookEventSchema | typeof accountEventSchema;

/** Writes a union of events so that one of an unknown type is accepted, and one of a known type must have its form. */
function toEventSchema(
  id: string,
  { union, base }: { union: EventUnion; base: z.ZodType },
  examples: unknown[],
): JsonSchema {
  const { oneOf = [], examples: _, $defs, ...others } = toJsonSchema(id, union, examples);
  const { type, properties, required } = z.toJSONSchema(base, { override });
  const known = union.options.map(({ shape }, index) => ({
    if: { properties: { event: { const: shape.event.value } }, required: ['event'] },
    // biome-ignore lint/suspicious/noThenProperty: it is the keyword of JSON Schema.
    then: oneOf[index],
  }));
  return { ...others, type, properties, required, allOf: known, examples, $defs } as JsonSchema;
}

/** Returns what `data` of the response of an operation has, or the first item of a list. */
function exampleRecord(operationId: string): unknown {
  const response = operationExamples[operationId]?.response;
  const { data } = { data: undefined, ...response } as { data: unknown };
  return Array.isArray(data) ? data[0] : data;
}

const problemExample = {
  type: problemType('order_not_found'),
  ...problems.order_not_found,
  detail: 'No order "ord_1" is visible to this account. Check the ID (ord_<id>) and the API key.',
  code: 'order_not_found',
  requestId: 'req_6f1f7a862f0c4f439f6e0f0c2b8a9d11',
};

const records: Record<string, [z.ZodType, unknown]> = {
  account: [accountSchema, exampleRecord('getAccount')],
  'created-webhook': [createdWebhookSchema, exampleRecord('createWebhook')],
  delivery: [deliverySchema, exampleRecord('listDeliveries')],
  'delivery-details': [deliveryDetailsSchema, exampleRecord('getDelivery')],
  notification: [notificationSchema, exampleRecord('listNotifications')],
  order: [orderSchema, exampleRecord('getOrder')],
  partner: [partnerSchema, exampleRecord('listPartners')],
  problem: [problemSchema, problemExample],
  'staged-secret': [stagedSecretSchema, exampleRecord('stageWebhookSecret')],
  webhook: [webhookDetailsSchema, exampleRecord('getWebhook')],
};

/**
 * Builds the JSON Schemas (2020-12) of the events and the records, by their file names in `schemas`. Each stands alone. They
 * accept what later versions add: unknown fields, and other values where there is a list of values.
 */
export function buildJsonSchemas(): Record<string, JsonSchema> {
  const events = webhookEventSchema.options.map((schema) => {
    const type = schema.shape.event.value;
    const examples = sampleEvents.filter(({ event }) => event === type);
    return [`events/${type}.json`, toJsonSchema(`event:${type}`, schema, examples)] as const;
  });
  const recordFiles = Object.entries(records).map(
    ([name, [schema, example]]) =>
      [`records/${name}.json`, toJsonSchema(`record:${name}`, schema, [example])] as const,
  );
  return Object.fromEntries([
    ...events,
    [
      'events/any.json',
      toEventSchema('event:any', { union: webhookEventSchema, base: anyEventSchema }, sampleEvents),
    ],
    ...recordFiles,
    [
      'records/event.json',
      toEventSchema('record:event', { union: accountEventSchema, base: anyAccountEventSchema }, [
        { id: signedExample.id, ...signedExample.event },
      ]),
    ],
  ]);
}
