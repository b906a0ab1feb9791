import { z } from 'zod';

/** Schema of a JSON body. An unknown field is refused: a misspelt one must not be lost silently. */
export function bodySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownNames('field', issue.keys, shape)
        : 'must be a JSON object',
  });
}

/** Schema of a query. An unknown parameter is refused: a misspelt filter must not list everything. */
export function querySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownNames('query parameter', issue.keys, shape)
        : undefined,
  });
}

function unknownNames(noun: string, unknown: string[], known: object): string {
  const nouns = unknown.length === 1 ? noun : `${noun}s`;
  return `unknown ${nouns} ${unknown.join(', ')}; known: ${Object.keys(known).join(', ')}`;
}
