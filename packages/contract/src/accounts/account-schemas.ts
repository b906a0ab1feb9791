import * as z from 'zod';
import { accountIdSchema, keyIdSchema, timestampSchema } from '../field-schemas';
import { accountKinds } from './account';

/** One of the three kinds of account. */
export const accountKindSchema = z
  .enum(accountKinds, { error: `must be one of ${accountKinds.join(', ')}` })
  .meta({ id: 'AccountKind', description: 'Kind of an account. It limits what it may do.' });

/** Schema of `AccountKey`. */
export const accountKeySchema = z
  .object({
    id: keyIdSchema,
    hint: z.string().meta({
      description: 'Its first characters, by which people recognise it.',
      examples: ['tpk_4fQx…'],
    }),
    readOnly: z.boolean().meta({ description: 'Whether it may only read.' }),
    expiresAt: timestampSchema
      .nullable()
      .meta({ description: 'When it stops to work; null when it does not expire.' }),
  })
  .meta({
    id: 'AccountKey',
    description: 'What may be told of an API key: never the key itself.',
  });

/** Schema of `Account`. */
export const accountSchema = z
  .object({
    id: accountIdSchema,
    kind: accountKindSchema,
    name: z
      .string()
      .meta({ description: 'What people call it.', examples: ['Harbour Street Café'] }),
    createdAt: timestampSchema,
    key: accountKeySchema,
  })
  .meta({ id: 'Account', description: 'The account that an API key belongs to.' });
