import { z } from 'zod';
import { pageLimit } from './page';

const limitError = `must be an integer from ${pageLimit.min} to ${pageLimit.max}`;

/** `limit` of a list: digits in the query, a number once read. */
export const limitSchema = z.coerce
  .number<string | number>({ error: limitError })
  .int({ error: limitError })
  .min(pageLimit.min, { error: limitError })
  .max(pageLimit.max, { error: limitError })
  .meta({
    description: `Items on a page at most, ${pageLimit.default} unless told.`,
    override: { type: 'integer' },
  });

/** `cursor` of a list: opaque, only ever what `nextCursor` said. */
export const cursorSchema = z
  .string()
  .min(1)
  .max(512)
  .meta({ description: '`nextCursor` of the page before. Opaque.' });

/** Schema of `Page`: the items in `data`, and where the next page starts. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'What `cursor` must be to get the next page; null on the last one.' }),
  });
}

/** The envelope of a single result: the result in `data`. */
export function dataSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item });
}
