import * as z from 'zod';
import { accountKindSchema } from '../accounts/account-schemas';
import { accountIdSchema } from '../http/field-schemas';
import { cursorSchema, limitSchema, pageSchema, querySchema } from '../http/message-schemas';
import { partnerName } from './partner';

/** Schema of `Partner`. */
export const partnerSchema = z
  .object({
    id: accountIdSchema,
    kind: accountKindSchema,
    name: z.string().meta({ description: 'Display name.', examples: ['Harbour Street Café'] }),
  })
  .meta({
    id: 'Partner',
    description:
      'An account with which the account has traded: another buyer, seller or agent of one of its orders.',
  });

/** Schema of a page of partners. */
export const partnerPageSchema = pageSchema(partnerSchema).meta({ id: 'PartnerPage' });

const nameError = `must have ${partnerName.min} to ${partnerName.max} characters`;

/** Schema of `ListPartners`. */
export const listPartnersSchema = querySchema({
  name: z
    .string({ error: nameError })
    .min(partnerName.min, { error: nameError })
    .max(partnerName.max, { error: nameError })
    .exactOptional()
    .meta({
      description:
        'Only partners whose name contains this text, whatever the case and the accents of its letters: `cafe` finds `Harbour Street CAFÉ`.',
    }),
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
