import * as z from 'zod';
import { pageLimit } from './endpoints';

/**
 * Builds the schema of a JSON body. It rejects unknown fields, so that a misspelled field is not silently
 * ignored. The issue's `keys` name the field; its message lists the known ones.
 */
export function bodySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'must be a JSON object';
      return known === ''
        ? 'unknown field; this endpoint takes none'
        : `unknown field; known: ${known}`;
    },
  });
}

/**
 * Builds the schema of a query. It rejects unknown parameters, so that a misspelled filter does not list
 * everything. The issue's `keys` name the parameter; its message lists the known ones.
 */
export function querySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      return known === ''
        ? 'unknown query parameter; this endpoint takes none'
        : `unknown query parameter; known: ${known}`;
    },
  });
}

function isReversed(period: unknown): boolean {
  const { since, until } = Object(period);
  return Date.parse(since) > Date.parse(until);
}

/** Rejects a `since` that is later than `until`, which would exclude everything. */
export function checkPeriod<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine((period) => !isReversed(period), {
    error: 'must not be later than until',
    path: ['since'],
    // Report it together with all other issues.
    when: () => true,
  });
}

/** Ends the description of every list of values that later versions may extend. */
export const mayGrow = 'Later versions may add values.';

/** The query of an endpoint without parameters. */
export const noQuerySchema = querySchema({});

/**
 * The body of an endpoint that needs none: left out, `null` or `{}`. All of them parse to `{}`, so that an
 * idempotency key treats them as the same request. It is not in the OpenAPI document: from an optional body
 * without fields, generated clients make a parameter that is of no use.
 */
export const noBodySchema = z.preprocess(
  (body: Record<string, never> | null | undefined) => body ?? {},
  bodySchema({}),
);

/** Builds the schema of an integer in a query, both bounds inclusive: digits when sent, a number once parsed. */
export function integerSchema({ min, max }: { min: number; max: number }) {
  const error = `must be an integer from ${min} to ${max}`;
  return z.preprocess(
    (value: number | string) =>
      typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
    z.int({ error }).min(min, { error }).max(max, { error }),
  );
}

/** `limit` of a list: digits in the query, a number once parsed. */
export const limitSchema = integerSchema(pageLimit).meta({
  description: `Maximum number of items per page, ${pageLimit.min} to ${pageLimit.max}. Defaults to ${pageLimit.default}.`,
});

/**
 * Builds the schema of a query parameter with one or several known values: a text with commas between them when sent, a list
 * without duplicates once parsed. In OpenAPI it is a text, because generated clients differ in how they send lists.
 */
export function commaListSchema<const Value extends string>(values: readonly Value[]) {
  const error = `must be one of ${values.join(', ')}, or several with commas`;
  const one = `(${values.join('|')})`;
  return z
    .string({ error })
    .regex(new RegExp(`^${one}(,${one})*$`), { error })
    .transform((text) => [...new Set(text.split(',') as Value[])]);
}

const cursorError = 'must be the nextCursor of the previous page, unchanged';

/** `cursor` of a list: the opaque `nextCursor` of the previous page. */
export const cursorSchema = z
  .string({ error: cursorError })
  .min(1, { error: cursorError })
  .max(512, { error: cursorError })
  .meta({ description: '`nextCursor` of the previous page. Opaque.' });

/** `Idempotency-Key`: 1 to 255 visible ASCII characters, chosen by the client. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters' })
  .optional()
  .meta({
    description:
      'Requests with the same key have one effect and get the same response, for 24 hours. A key belongs to one account and one endpoint.',
    examples: ['0d4c1f0e-3f0b-4f0a-9a55-3d1f6a4f6c1b'],
  });

/** How many headers a request may have. More are a 431. */
export const maxHeaders = 100;

/** `If-Match`: `*`, or one or more entity tags. Source: RFC 9110, section 13.1.1. */
export const ifMatchSchema = z
  .string()
  .regex(/^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/, {
    error: 'must be * or the ETag of the order, including its quotes, such as "3"',
  })
  .optional()
  .meta({
    description:
      'The `ETag` of the order with its quotes, such as `"3"`, or `*`. If the order has another one, the response is a 412, unless it has the requested status already. The versions in the tags are compared: a tag that a proxy changed when it compressed the response, such as `W/"3"` or `"3-gzip"`, still matches.',
    examples: ['"3"'],
  });

/** Builds the schema of `Page`: the items in `data`, and where the next page starts. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z
    .object({
      data: z.array(item),
      nextCursor: z
        .string()
        .nullable()
        .meta({ description: 'Send it as `cursor` to get the next page. Null on the last page.' }),
    })
    .meta({ description: 'One page of a list.' });
}

/** Builds the schema of a single result: the result in `data`. */
export function envelopeSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item }).meta({ description: 'A single result.' });
}
