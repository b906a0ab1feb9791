import type * as z from 'zod';

/**
 * Lists the issues of a schema with a value as `path: message`; empty when the value is valid. The path
 * of an issue with unknown names is those names.
 */
export function listIssues(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : issue.path;
    return `${names.join('.')}: ${issue.message}`;
  });
}
