import type * as z from 'zod';

/** Marks a parameter as one that the interface does not have. */
export function extension(schema: z.ZodType): z.ZodType {
  return schema.meta({ param: { 'x-extension': true } });
}
