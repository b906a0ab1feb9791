import * as z from 'zod';

function idSchema(prefix: string, noun: string) {
  const error = `must be ${noun} ID (${prefix}_<id>)`;
  return z
    .string({ error })
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`), { error })
    .meta({ description: `ID of ${noun}.`, examples: [`${prefix}_01KAJ8Q0V7T3M5X9R2C4D6F8GH`] });
}

/** `ord_<id>`. */
export const orderIdSchema = idSchema('ord', 'an order');
/** `usr_<id>`. */
export const accountIdSchema = idSchema('usr', 'an account');
/** `lst_<id>`. */
export const listingIdSchema = idSchema('lst', 'a listing');
/** `ntf_<id>`. */
export const notificationIdSchema = idSchema('ntf', 'a notification');
/** `whk_<id>`. */
export const webhookIdSchema = idSchema('whk', 'a webhook');
/** `tsk_<id>`. */
export const taskIdSchema = idSchema('tsk', 'a task');
/** `evt_<id>`. */
export const eventIdSchema = idSchema('evt', 'an event');
/** `dlv_<id>`. */
export const deliveryIdSchema = idSchema('dlv', 'a delivery');
/** `key_<id>`. */
export const keyIdSchema = idSchema('key', 'an API key');

/**
 * Builds the schema of an ID in a path. It accepts any text: a path that names nothing is a 404, also
 * when its ID is malformed, and never a 422.
 */
export function pathIdSchema(id: z.ZodString) {
  return z
    .string()
    .meta({ ...id.meta(), description: `${id.description} Any other text is a 404.` });
}

/** The HTTP status of a response; null without one. */
export const httpStatusSchema = z.int().min(100).max(999).nullable();
/** The name of an attempt error; null without one. */
export const errorNameSchema = z.string().nullable();

/** A timestamp as the service writes it: ISO 8601, UTC, with milliseconds. */
export const timestampSchema = z.iso
  .datetime()
  .meta({ description: 'ISO 8601 UTC timestamp.', examples: ['2026-11-21T09:30:00.000Z'] });

/**
 * Rewrites the forms of RFC 3339 and of common date libraries that JavaScript does not parse: `t` and `z` in
 * lower case, a space instead of `T`, an offset without its colon, and a leap second, which becomes the last
 * millisecond before it.
 */
function normalizeTimestamp(text: string): string {
  if (typeof text !== 'string') return text;
  return text
    .replace(/^(\d{4}-\d\d-\d\d)[t ]/, '$1T')
    .replace(/z$/, 'Z')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
    .replace(/:59:60(\.\d+)?(?=Z|[+-])/, ':59:59.999');
}

/** A timestamp as a client may write it: RFC 3339, with `Z` or an offset. Parsed to a form that `Date` can parse. */
export const timestampInputSchema = z.preprocess(
  normalizeTimestamp,
  z.iso.datetime({
    offset: true,
    error:
      'must be an ISO 8601 timestamp with seconds and an offset, such as 2026-11-21T09:30:00Z (encode + as %2B in a URL)',
  }),
);
