import { expect, test } from 'vitest';
import strict from '../../openapi-3.0.json' with { type: 'json' };
import tolerant from '../../openapi-tolerant.json' with { type: 'json' };

type Schema = Record<string, unknown> & { description?: string; enum?: unknown[] };

const strictSchemas = strict.components.schemas as Record<string, Schema>;
const tolerantSchemas = tolerant.components.schemas as unknown as Record<string, Schema>;

const unions = ['AccountEvent', 'WebhookEvent'] as const;
const enumerations = Object.keys(strictSchemas).filter((name) => strictSchemas[name]?.enum);

test('an enumeration is a text that names its known values', () => {
  expect(enumerations).toContain('OrderStatus');
  for (const name of enumerations) {
    const { enum: known = [], description, ...others } = strictSchemas[name] ?? {};
    expect(tolerantSchemas[name], name).toEqual({
      ...others,
      description: expect.stringContaining(description ?? ''),
      'x-extensible-enum': known,
    });
    for (const value of known) expect(tolerantSchemas[name]?.description).toContain(`\`${value}\``);
  }
});

test('an event of an unknown type is the last choice, with only the fields that all events have', () => {
  for (const name of unions) {
    const { oneOf, discriminator, ...others } = strictSchemas[name] ?? {};
    expect(discriminator, name).toBeDefined();
    expect(tolerantSchemas[name]).toEqual({
      ...others,
      anyOf: [...(oneOf as object[]), { $ref: '#/components/schemas/OtherEvent' }],
    });
  }
  expect(tolerantSchemas.OtherEvent).toMatchObject({ required: ['event', 'createdAt', 'data'] });
});

test('everything else is as in the OpenAPI 3.0 document', () => {
  const { schemas: _, ...strictOthers } = strict.components;
  const { schemas: __, ...tolerantOthers } = tolerant.components;
  expect({ ...tolerant, components: tolerantOthers }).toEqual({
    ...strict,
    components: strictOthers,
  });

  const changed = new Set<string>([...enumerations, ...unions, 'OtherEvent']);
  const listOthers = (schemas: object) =>
    Object.entries(schemas).filter(([name]) => !changed.has(name));
  expect(listOthers(tolerantSchemas)).toEqual(listOthers(strictSchemas));
});
