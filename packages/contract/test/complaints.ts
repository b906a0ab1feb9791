import type { z } from 'zod';

/** What a schema has against a value: `path: message` for each issue, nothing when it is accepted. */
export function complaints(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}
