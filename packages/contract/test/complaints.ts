import type * as z from 'zod';

/**
 * What a schema has against a value: `path: message` for each issue, nothing when it is accepted. An
 * issue with unknown names has them for its path.
 */
export function complaints(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : issue.path;
    return `${names.join('.')}: ${issue.message}`;
  });
}
