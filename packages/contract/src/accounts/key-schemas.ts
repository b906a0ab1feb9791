import * as z from 'zod';
import { keyIdSchema, timestampSchema } from '../http/field-schemas';
import { isLine, lineForm, lineMeta } from '../http/line-of-text';
import {
  bodySchema,
  cursorSchema,
  envelopeSchema,
  limitSchema,
  mayGrow,
  pageSchema,
  querySchema,
} from '../http/message-schemas';
import { accountKeySchema, accountSchema } from './account-schemas';
import { keyKinds, keyLifetime, sessionLifetime } from './key';

/** Schema of `KeyKind`. */
export const keyKindSchema = z.enum(keyKinds).meta({
  id: 'KeyKind',
  description: `\`key\`: programs use it. \`session\`: a person signed in. ${mayGrow}`,
});

/** Schema of `ApiKey`. */
export const apiKeySchema = accountKeySchema
  .extend({
    name: z
      .string()
      .nullable()
      .meta({ description: 'What people call it. Null when it has no name.' }),
    kind: keyKindSchema,
    createdAt: timestampSchema,
    revokedAt: timestampSchema.nullable().meta({
      description: 'When it was revoked, or the key of a session was. Null when it is not revoked.',
    }),
    lastUsedAt: timestampSchema.nullable().meta({
      description: 'The minute in which it was last used. Null when it was never used.',
    }),
    createdBy: keyIdSchema.nullable().meta({
      description:
        'The key that created it; a session ends with that key. Null when the operator created it.',
    }),
    current: z.boolean().meta({ description: 'Whether it is the key of this request.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key of the account; never the key itself.' });

const apiKeyTextSchema = z.string();

/** Schema of `CreatedApiKey`. */
export const createdApiKeySchema = apiKeySchema
  .extend({
    key: apiKeyTextSchema.meta({ description: 'The API key. No other response contains it.' }),
  })
  .meta({ id: 'CreatedApiKey', description: 'A new API key, with the key itself.' });

/** Schema of a page of keys. */
export const apiKeyPageSchema = pageSchema(apiKeySchema).meta({ id: 'ApiKeyPage' });

/** Schema of the response with a new key. */
export const createdApiKeyResponseSchema = envelopeSchema(createdApiKeySchema).meta({
  id: 'CreatedApiKeyResponse',
});

/** Schema of `ListKeys`. */
export const listKeysSchema = querySchema({
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});

const maxNameLength = 100;
const nameError = `must be ${lineForm(maxNameLength)}`;

const lifetimeError = `must be seconds, an integer from ${keyLifetime.min} to ${keyLifetime.max}`;

/** Schema of `CreateKey`. */
export const createKeySchema = bodySchema({
  name: z
    .string({ error: nameError })
    .refine((name) => isLine(name, maxNameLength), { error: nameError })
    .exactOptional()
    .meta({
      description: `What people call it: ${lineForm(maxNameLength)}.`,
      examples: ['warehouse export'],
      ...lineMeta(maxNameLength),
    }),
  readOnly: z
    .boolean({ error: 'must be true or false' })
    .exactOptional()
    .meta({ description: 'Whether the key allows read access only. Defaults to false.' }),
  expiresIn: z
    .int({ error: lifetimeError })
    .min(keyLifetime.min, { error: lifetimeError })
    .max(keyLifetime.max, { error: lifetimeError })
    .exactOptional()
    .meta({
      description:
        'Seconds until the key expires. Without it, the key expires with the key of this request, or never.',
      examples: [7_776_000],
    }),
}).meta({ id: 'CreateKey' });

/** Schema of `SignInCode`. */
export const signInCodeSchema = z
  .object({
    code: z.string().meta({
      description: 'The code. No other response contains it. Never put it into a path or a query.',
    }),
    expiresAt: timestampSchema,
  })
  .meta({ id: 'SignInCode', description: 'A code that signs a person in, once.' });

/** Schema of the response with a sign-in code. */
export const signInCodeResponseSchema = envelopeSchema(signInCodeSchema).meta({
  id: 'SignInCodeResponse',
});

const codeError = 'must be the code of a sign-in link, 1 to 200 characters';

/** Schema of `CreateSession`. */
export const createSessionSchema = bodySchema({
  code: z
    .string({ error: codeError })
    .min(1, { error: codeError })
    .max(200, { error: codeError })
    .meta({ description: 'The code of a sign-in link.' }),
}).meta({ id: 'CreateSession' });

/** Schema of `Session`. */
export const sessionSchema = z
  .object({
    key: apiKeyTextSchema.meta({
      description: `The API key of the session. It expires after ${sessionLifetime / 3_600} hours, or with its key.`,
    }),
    account: accountSchema,
  })
  .meta({
    id: 'Session',
    description: 'A session: an API key for a few hours, and the account that it belongs to.',
  });

/** Schema of the response with a session. */
export const sessionResponseSchema = envelopeSchema(sessionSchema).meta({ id: 'SessionResponse' });
