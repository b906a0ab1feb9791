import * as z from 'zod';

/** `Idempotency-Key`: 1 to 255 visible ASCII characters, chosen by the client. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters' })
  .optional()
  .meta({
    description:
      'Two requests with one key have one effect and one answer, for 24 hours. The key belongs to the account and the endpoint.',
    examples: ['0d4c1f0e-3f0b-4f0a-9a55-3d1f6a4f6c1b'],
  });

/** `If-Match`: `*`, or one or more entity tags. Source: RFC 9110, section 13.1.1. */
export const ifMatchSchema = z
  .string()
  .regex(/^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/, {
    error: 'must be * or the ETag of the order as it was sent, quotes included, such as "3"',
  })
  .optional()
  .meta({
    description: 'Change the order only if its ETag is still this one; else 412.',
    examples: ['"3"'],
  });
