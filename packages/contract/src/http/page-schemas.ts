import * as z from 'zod';
import { countSchema } from './count-schema';
import { pageLimit } from './page';

const cursorError = 'must be the nextCursor of the page before, as it was';

/** `limit` of a list: digits in the query, a number once read. */
export const limitSchema = countSchema(pageLimit).meta({
  description: `How many items a page holds at most; ${pageLimit.default} unless told.`,
});

/** `cursor` of a list: opaque, only ever what `nextCursor` said. */
export const cursorSchema = z
  .string({ error: cursorError })
  .min(1, { error: cursorError })
  .max(512, { error: cursorError })
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
