import * as z from 'zod';

const error = 'must be an absolute https:// URL of at most 2048 characters';

/** Where deliveries go. Whether the address may be reached, and over http, is the server's own policy. */
export const receiverUrlSchema = z
  .string({ error })
  .max(2048, { error })
  // URL itself forgives spaces, line breaks and a missing "//"; a stored address must say what it means.
  .refine((text) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text), {
    error,
    abort: true,
  })
  .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
    error: 'must not contain credentials: deliveries are authenticated by their signature',
  })
  .refine((text) => !text.includes('#'), { error: 'must not have a fragment: it is never sent' })
  .meta({ format: 'uri', examples: ['https://receiver.example/tradepost'] });
