import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateResponses } from '../../src/validate/index';
import { type ContractResponse, contractResponses } from '../helpers/contract-responses';
import { buildArbitrary } from '../helpers/schema-arbitrary';

type Path = readonly (string | number)[];

function check({ method, route, status }: ContractResponse, body: unknown) {
  return validateResponses({ method, route, status, body });
}

/** Returns the path of every value in a body, including the body itself. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, child]) =>
    placesIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...below];
}

/** Returns the body with another value at one path, or without one. */
function changed(
  body: unknown,
  [key, ...rest]: Path,
  change: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return change(body);
  if (Array.isArray(body)) {
    return body.map((item, index) => (index === key ? changed(item, rest, change) : item));
  }
  const entries = Object.entries(body as object).map(([name, value]) => {
    return [name, name === key ? changed(value, rest, change) : value] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns a value of a type that the contract never allows in the place of the given one. */
function misfitFor(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? 7 : [{}];
}

/** The fields that the API specification leaves open for a service without extensions. */
const asOneLikes =
  /^POST \/v1\/webhooks data\.(status|createdAt|updatedAt|description|headerNames(\.\d+)?|attemptsPerMinute)$/;

/** The fields that it may omit. */
const mayLack =
  /^(POST \/v1\/webhooks data\.\w+|\w+ \/v1\/orders\S* data\.(\d+\.)?(buyer|seller|agent|listing|etag)|\w+ \/v1\/webhooks\S* data\.(\d+\.)?stats|GET \/v1\/(orders|notifications) nextCursor|GET \/v1\/orders total|GET \/v1\/events (hasMore|previousCursor)|GET \/v1\/events\S* data\.(\d+\.)?(data\.reason|actor)|GET \/v1\/deliveries\/:id data\.attempts\.\d+\.headers\..*)$/s;

const withBody = contractResponses.flatMap((response) =>
  response.schema === null ? [] : [{ ...response, samples: buildArbitrary(response.schema) }],
);

describe.each(withBody)('a response to $name', ({ samples, ...response }) => {
  const placed = samples.chain((body) =>
    fc.constantFrom(...placesIn(body)).map((path) => ({ body, path })),
  );

  test('is valid when it matches the contract', () => {
    fc.assert(
      fc.property(samples, (body) => {
        expect(check(response, body)).toEqual([]);
      }),
    );
  });

  test('is valid with unknown fields in every object', () => {
    fc.assert(
      fc.property(placed, fc.jsonValue(), ({ body, path }, value) => {
        const grown = changed(body, path, (found) =>
          typeof found === 'object' && found !== null && !Array.isArray(found)
            ? { ...found, 'a field to come': path.includes('headers') ? 'text' : value }
            : found,
        );
        expect(check(response, grown)).toEqual([]);
      }),
    );
  });

  test('is rejected when a field has the wrong type, with its path', () => {
    fc.assert(
      fc.property(placed, ({ body, path }) => {
        const place = path.join('.');
        fc.pre(!asOneLikes.test(`${response.name} ${place}`));
        const issues = check(response, changed(body, path, misfitFor));
        expect(issues.map((issue) => issue.path)).toContain(place || 'body');
        for (const { message } of issues) expect(message).not.toBe('');
      }),
    );
  });

  test('is rejected when a field is missing, with its name', () => {
    const fields = placed.filter(({ path }) => typeof path.at(-1) === 'string');
    fc.assert(
      fc.property(fields, ({ body, path }) => {
        const place = path.join('.');
        fc.pre(!mayLack.test(`${response.name} ${place}`));
        const issues = check(
          response,
          changed(body, path, () => undefined),
        );
        expect(issues).toContainEqual({ path: place, message: expect.any(String) });
      }),
    );
  });

  test('is checked without an exception, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        for (const { path, message } of check(response, body)) {
          expect([typeof path, typeof message]).toEqual(['string', 'string']);
        }
      }),
    );
  });
});
