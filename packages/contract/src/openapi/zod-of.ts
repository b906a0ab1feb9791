import * as z from 'zod';

/** A contract's entry as the zod schema that it must be to be documented; throws when it is not one. */
export function zodOf(entry: unknown, where: string): z.ZodType {
  if (entry instanceof z.ZodType) return entry;
  throw new TypeError(`${where} is not a zod schema: OpenAPI cannot be generated from it`);
}

/** The fields of a contract's entry, each a zod schema; throws when it is not an object of those. */
export function fieldsOf(entry: unknown, where: string): [name: string, schema: z.ZodType][] {
  const shape: unknown = entry instanceof z.ZodObject ? entry.shape : entry;
  if (typeof shape !== 'object' || shape === null || shape instanceof z.ZodType) {
    throw new TypeError(`${where} has no fields: OpenAPI cannot be generated from it`);
  }
  return Object.entries(shape).map(([name, field]) => [name, zodOf(field, `${where}, ${name},`)]);
}
