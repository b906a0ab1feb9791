import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { allEventTypes } from '../../src/events/event';
import { buildJsonSchemas } from '../../src/json-schemas/json-schema-files';
import { sampleEvents } from '../../src/vectors/genuine';
import { vectorFiles } from '../../src/vectors/vector-files';

const root = new URL('../../', import.meta.url);
const folder = new URL('schemas/', root);
const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replaceAll('\\', '/'))
  .sort();

const ajv = formats.default(new Ajv2020({ allErrors: true, strict: true }));
const schemas = new Map(
  written.map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]),
);
const validators = new Map(
  [...schemas].map(([name, schema]) => [name, ajv.compile(schema) as ValidateFunction]),
);

/** Returns what is wrong with a value by a schema: a path and a reason each. */
function listFaults(name: string, value: unknown): string[] {
  const validate = validators.get(name);
  if (validate === undefined) throw new Error(`There is no schemas/${name}.`);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

type Fields = Record<string, unknown>;

/** Returns copies of a value, each with one object in it changed, at any depth. */
function changeObjects(value: unknown, change: (fields: Fields) => Fields[]): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      changeObjects(item, change).map((changed) => value.with(index, changed)),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, child]) =>
    changeObjects(child, change).map((changed) => ({ ...value, [key]: changed })),
  );
  return [...change(value as Fields), ...inside];
}

/** Lists the fields of the objects in a schema, and in its definitions, by name. */
function listFields(schema: unknown): [string, Fields][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    examples: _,
    properties,
    ...rest
  } = schema as { examples?: unknown; properties?: object };
  const fields = Object.entries(properties ?? {});
  return [
    ...fields,
    ...[...Object.values(rest), ...fields.map(([, field]) => field)].flatMap(listFields),
  ];
}

test('the JSON Schemas equal what the contract generates', () => {
  const built = buildJsonSchemas();
  expect(written).toEqual(Object.keys(built).sort());
  for (const [name, schema] of Object.entries(built)) {
    expect(
      readFileSync(new URL(name, folder), 'utf8') === `${JSON.stringify(schema, null, 2)}\n`,
      `schemas/${name} is out of date: run \`pnpm --filter @tradepost/contract schemas\``,
    ).toBe(true);
  }
});

test('the JSON Schemas are published and exported', () => {
  const { files, exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  expect(files).toContain('schemas');
  expect(exports).toHaveProperty(['./schemas/*.json'], './schemas/*.json');
});

test('each event type has a schema', () => {
  for (const type of allEventTypes) expect(written).toContain(`events/${type}.json`);
});

describe.each(written)('schemas/%s', (name) => {
  const schema = schemas.get(name);

  test('has an identifier of its own, a title, a description and examples that it accepts', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.$id).toMatch(/^urn:tradepost:schema:(event|record):[a-z_.-]+$/);
    const others = [...schemas.values()].filter(({ $id }) => $id === schema.$id);
    expect(others).toHaveLength(1);
    expect(schema.title).toMatch(/^[A-Z]\w+$/);
    expect(schema.description).toMatch(/\.$/);
    expect(schema.examples.length).toBeGreaterThan(0);
    for (const example of schema.examples) expect(listFaults(name, example)).toEqual([]);
  });

  test('describes each of its fields', () => {
    const isDescribed = ({ description, const: fixed, $ref }: Fields) =>
      (description ?? fixed ?? $ref) !== undefined;
    const fields = listFields(schema);
    expect(fields.length).toBeGreaterThan(2);
    expect(fields.filter(([, field]) => !isDescribed(field)).map(([name]) => name)).toEqual([]);
  });

  test('accepts fields that a later version adds, in every object', () => {
    for (const example of schema.examples) {
      for (const later of changeObjects(example, (fields) => [{ ...fields, colour: 'green' }])) {
        expect(listFaults(name, later), JSON.stringify(later)).toEqual([]);
      }
    }
  });

  test('rejects its examples without one of the fields that it requires', () => {
    for (const example of schema.examples) {
      for (const field of schema.required) {
        const { [field]: _, ...incomplete } = example;
        expect(listFaults(name, incomplete)).toContain(` must have required property '${field}'`);
      }
    }
  });

  test('rejects what is not an object', () => {
    for (const value of [null, [], 'text', 7]) expect(listFaults(name, value)).not.toEqual([]);
  });
});

test('an enumeration accepts values that a later version adds, and no other type', () => {
  const [order] = schemas.get('records/order.json').examples;
  expect(listFaults('records/order.json', { ...order, status: 'archived' })).toEqual([]);
  expect(listFaults('records/order.json', { ...order, status: 7 })).toContain(
    '/status must be string',
  );
});

describe.each(sampleEvents)('an event $event', (sample) => {
  const own = `events/${sample.event}.json`;

  test('is accepted by its own schema and that of any event, and by no other', () => {
    const accepting = written.filter((name) => listFaults(name, sample).length === 0);
    expect(accepting).toEqual(['events/any.json', own].sort());
  });

  test.each([
    ['the type in `type`', { ...sample, event: undefined, type: sample.event }],
    ['a time without a zone', { ...sample, createdAt: '2026-11-21T09:30:00' }],
    ['no data', { ...sample, data: {} }],
    ['an ID with the prefix of another record', changeIds(sample, 'dlv_1')],
    ['an ID that is a number', changeIds(sample, 1)],
  ])('is rejected with %s', (_, wrong) => {
    expect(listFaults(own, wrong)).not.toEqual([]);
    expect(listFaults('events/any.json', wrong)).not.toEqual([]);
  });
});

function changeIds(sample: { data: object }, id: unknown) {
  const data = Object.keys(sample.data).map((name) => [name, id]);
  return { ...sample, data: Object.fromEntries(data) };
}

test('an event of a type that a later version adds is accepted by the schema of any event', () => {
  const later = { event: 'order.archived', createdAt: '2026-11-21T09:30:00.000Z', data: {} };
  expect(listFaults('events/any.json', later)).toEqual([]);
  expect(listFaults('records/event.json', { id: 'evt_1', ...later })).toEqual([]);
  expect(listFaults('events/any.json', { ...later, data: null })).toEqual(['/data must be object']);
});

test('an event of the log needs its ID', () => {
  const [event] = schemas.get('records/event.json').examples;
  expect(listFaults('records/event.json', { ...event, id: undefined })).not.toEqual([]);
  expect(listFaults('records/event.json', { ...event, id: 'ord_1' })).not.toEqual([]);
  const { id: _, ...later } = { ...event, event: 'order.archived' };
  expect(listFaults('records/event.json', later)).toEqual([" must have required property 'id'"]);
});

test('the bodies of the test vectors that are complete events are accepted, and the others rejected', () => {
  const bodies = Object.values(vectorFiles)
    .flatMap((build) => build().vectors)
    .filter(({ expected }) => expected.accept)
    .map(({ body }) =>
      Buffer.from(body, 'base64')
        .toString()
        .replace(/^\ufeff/, ''),
    );
  const complete = bodies.filter(
    (body) => listFaults('events/any.json', JSON.parse(body)).length === 0,
  );
  const samples = sampleEvents.map((event) => JSON.stringify(event));
  expect(new Set(complete)).toEqual(
    new Set([...samples, ...bodies.filter((body) => body.includes('"order.archived"'))]),
  );
});
