import fc from 'fast-check';
import * as z from 'zod';

type JsonType = 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null';

/** The part of JSON Schema that the contract's schemas use. */
interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: JsonType | JsonType[];
  const?: string;
  enum?: string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | false;
  items?: JsonSchema;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

const years = { min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z') };
const timestamps = fc.date({ ...years, noInvalidDate: true }).map((date) => date.toISOString());

function textArbitrary({ format, pattern }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return timestamps;
  return pattern === undefined ? fc.string() : fc.stringMatching(new RegExp(pattern));
}

function objectArbitrary(schema: JsonSchema, within: JsonSchema): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined && additionalProperties) {
    const names = fc.string().filter((name) => name !== '__proto__');
    return fc.dictionary(names, schemaArbitrary(additionalProperties, within), { maxKeys: 3 });
  }
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    return [name, schemaArbitrary(field, within)] as const;
  });
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required,
    noNullPrototype: true,
  });
}

function schemaArbitrary(schema: JsonSchema, within: JsonSchema): fc.Arbitrary<unknown> {
  const named = schema.$ref?.match(/^#\/\$defs\/(.+)$/)?.[1];
  const referred = within.$defs?.[named ?? ''];
  if (referred !== undefined) return schemaArbitrary(referred, within);
  if (schema.allOf !== undefined) {
    const parts = schema.allOf.map((part) => schemaArbitrary(part, within));
    return fc.tuple(...parts).map((all) => Object.assign({}, ...all));
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => schemaArbitrary(one, within)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => schemaArbitrary({ ...schema, type }, within)));
  }
  switch (schema.type) {
    case 'object':
      return objectArbitrary(schema, within);
    case 'array':
      return fc.array(schemaArbitrary(schema.items ?? {}, within), { maxLength: 3 });
    case 'string':
      return textArbitrary(schema);
    case 'integer': {
      const { minimum: min, maximum: max } = schema;
      return fc.integer({ ...(min !== undefined && { min }), max: Math.min(max ?? 1e9, 1e9) });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      throw new TypeError(`There is no arbitrary for ${JSON.stringify(schema)}: add one.`);
  }
}

/** Builds an arbitrary of values that a schema accepts, from the schema itself. */
export function buildArbitrary(schema: z.ZodType): fc.Arbitrary<unknown> {
  const described = z.toJSONSchema(schema, { io: 'output' }) as JsonSchema;
  return schemaArbitrary(described, described);
}
