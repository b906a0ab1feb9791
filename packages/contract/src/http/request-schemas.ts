import * as z from 'zod';

/**
 * Schema of a JSON body. An unknown field is refused: a misspelt one must not be lost silently. The
 * issue's `keys` name it; its message says which fields there are.
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
 * Schema of a query. An unknown parameter is refused: a misspelt filter must not list everything. The
 * issue's `keys` name it; its message says which parameters there are.
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

/** The query of an endpoint that takes no parameters: whoever sends one believes that it does something. */
export const noQuerySchema = querySchema({});

/**
 * The body of an endpoint that needs none: left out, or `{}`. It reads as `{}` either way, so that both
 * are the same request to an idempotency key.
 */
export const emptyBodySchema = bodySchema({})
  .default({})
  .meta({ id: 'EmptyBody', description: 'Nothing: leave the body out, or send {}.' });
