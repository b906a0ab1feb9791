import * as z from 'zod';

function idSchema(prefix: string, noun: string) {
  const error = `must be ${noun}'s id, which reads ${prefix}_<id>`;
  return z
    .string({ error })
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`), { error })
    .meta({ description: `Id of ${noun}.`, examples: [`${prefix}_01KAJ8Q0V7T3M5X9R2C4D6F8GH`] });
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
 * An id in a path. Any text will do: what cannot be an id names nothing, which is a 404 like any other
 * id that names nothing, and not a 422.
 */
export function pathIdSchema(id: z.ZodString) {
  return z
    .string()
    .meta({ ...id.meta(), description: `${id.description} Any other text is a 404.` });
}

/** A moment as the service writes it: ISO 8601, UTC, with milliseconds. */
export const timestampSchema = z.iso
  .datetime()
  .meta({ description: 'ISO 8601 UTC timestamp.', examples: ['2026-11-21T09:30:00.000Z'] });

/** A moment as a caller may write it: ISO 8601 with `Z` or an offset. */
export const momentSchema = z.iso.datetime({
  offset: true,
  error:
    'must be an ISO 8601 moment with seconds and a zone, such as 2026-11-21T09:30:00Z (a + is written %2B in a URL)',
});
