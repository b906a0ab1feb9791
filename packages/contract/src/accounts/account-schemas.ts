import * as z from 'zod';
import { accountIdSchema, keyIdSchema, timestampSchema } from '../http/field-schemas';
import { envelopeSchema } from '../http/message-schemas';
import { accountKinds } from './account';

/** Schema of `AccountKind`. */
export const accountKindSchema = z
  .enum(accountKinds, { error: `must be one of ${accountKinds.join(', ')}` })
  .meta({ id: 'AccountKind', description: 'Kind of an account. It limits what it may do.' });

/** Schema of `AccountKey`. */
export const accountKeySchema = z
  .object({
    id: keyIdSchema,
    prefix: z.string().meta({
      description: 'The first characters of the key, to recognise it by.',
      examples: ['tpk_4fQx…'],
    }),
    readOnly: z.boolean().meta({ description: 'Whether the key allows read access only.' }),
    expiresAt: timestampSchema
      .nullable()
      .meta({ description: 'When the key expires. Null when it does not expire.' }),
  })
  .meta({
    id: 'AccountKey',
    description: 'The non-secret properties of an API key; never the key itself.',
  });

/** Schema of `Account`. */
export const accountSchema = z
  .object({
    id: accountIdSchema,
    kind: accountKindSchema,
    name: z.string().meta({ description: 'Display name.', examples: ['Harbour Street Café'] }),
    createdAt: timestampSchema,
    key: accountKeySchema,
  })
  .meta({ id: 'Account', description: 'The account that an API key belongs to.' });

/** Schema of the response with an account. */
export const accountResponseSchema = envelopeSchema(accountSchema).meta({ id: 'AccountResponse' });
