import type { ProblemIssue } from '@tradepost/sdk';
import type * as z from 'zod';

/** Describes an issue of a schema with its position in the validated value. */
export function describeIssue({ path, message }: z.core.$ZodIssue, root: unknown): ProblemIssue {
  const missing = valueAt(root, path) === undefined;
  return {
    path: path.map(String).join('.') || 'body',
    message: missing ? `is missing: ${message}` : message,
  };
}

/** Returns the value at a position; undefined if there is none. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}
