import { code, escapeText, table } from './markdown';

/** The keywords of JSON Schema that the schemas of the contract use. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  additionalProperties?: JsonSchema;
  examples?: unknown[];
}

const count = (value: number) => value.toLocaleString('en-US');

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/$defs/', '');
  const found = root.$defs?.[name];
  if (found === undefined) throw new Error(`${root.title} has no definition ${schema.$ref}.`);
  return { ...found, ...(schema.description && { description: schema.description }) };
}

/** Describes the bounds of a number: ` from 1 to 1,000,000`. */
function describeBounds({ minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined)
    return `, ${count(minimum)} to ${count(maximum)}`;
  if (minimum !== undefined) return `, at least ${count(minimum)}`;
  return '';
}

/** Describes the type of a field in Markdown: `string`, `ord_…` for an ID, an enumeration by its values. */
function describeType(given: JsonSchema, root: JsonSchema): string {
  const schema = resolve(given, root);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  const values = schema.anyOf?.find(({ enum: known }) => known)?.enum;
  if (values !== undefined) return values.map((value) => code(String(value))).join(', ');
  if (schema.anyOf) return schema.anyOf.map((one) => describeType(one, root)).join(' or ');
  const prefix = /^\^([a-z]{3})_\[/.exec(schema.pattern ?? '')?.[1];
  if (prefix !== undefined) return `string ${code(`${prefix}_…`)}`;
  if (schema.format === 'date-time') return 'string, a time';
  const types = [schema.type ?? 'any'].flat().join(' or ');
  if (schema.items) return `array of ${describeType(schema.items, root)}`;
  return `${types}${describeBounds(schema)}`;
}

/** Returns the description of a field; a nullable one may have it inside. */
function describeMeaning(given: JsonSchema, root: JsonSchema): string {
  const schema = resolve(given, root);
  const inside = schema.anyOf?.map((one) => resolve(one, root).description).find(Boolean);
  const fixed = schema.const === undefined ? '' : 'Always this value.';
  return escapeText(schema.description ?? inside ?? fixed);
}

interface Field {
  path: string;
  schema: JsonSchema;
  isRequired: boolean;
}

/** Lists the fields of an object, those of objects in it too. */
function listFields(given: JsonSchema, root: JsonSchema, path = ''): Field[] {
  const schema = resolve(given, root);
  const object = schema.anyOf?.map((one) => resolve(one, root)).find((one) => one.properties);
  const { properties = {}, required = [] } = object ?? schema;
  return Object.entries(properties).flatMap(([name, child]) => {
    const field = { path: `${path}${name}`, schema: child, isRequired: required.includes(name) };
    const { items } = resolve(child, root);
    const inside = items
      ? listFields(items, root, `${path}${name}[].`)
      : listFields(child, root, `${path}${name}.`);
    return [field, ...inside];
  });
}

/** Writes the table of the fields of a schema. */
export function fieldTable(schema: JsonSchema): string {
  const rows = listFields(schema, schema).map(({ path, schema: field, isRequired }) => [
    code(path),
    describeType(field, schema),
    isRequired ? 'yes' : 'no',
    describeMeaning(field, schema),
  ]);
  return table(['Field', 'Type', 'Required', 'Meaning'], rows);
}
