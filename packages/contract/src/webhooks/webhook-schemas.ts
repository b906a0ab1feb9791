import * as z from 'zod';
import { eventTypeSchema } from '../events/event-schemas';
import {
  errorNameSchema,
  httpStatusSchema,
  timestampSchema,
  webhookIdSchema,
} from '../http/field-schemas';
import { isLine, lineForm, lineMeta } from '../http/line-of-text';
import {
  bodySchema,
  cursorSchema,
  envelopeSchema,
  limitSchema,
  pageSchema,
  querySchema,
} from '../http/message-schemas';
import { customHeaderIssue, customHeaderLimits } from './custom-headers';
import { webhookLimits, webhookStatuses } from './webhook';
import { deliveryStatsSchema, webhookExpandSchema } from './webhook-stats-schemas';

const secretSchema = z.string().regex(/^whsec_[0-9A-Za-z+/]{43}=$/);

const maxUrlLength = 2048;
const urlError = `must be an absolute https:// URL of at most ${maxUrlLength} characters`;

/**
 * What all URLs of receivers have in common, in the syntax that the regular expressions of all languages share: a
 * scheme, a host without credentials, and a path and a query without a fragment. The server also accepts the scheme
 * in upper case.
 */
const receiverUrlPattern =
  '^https?://[^\\s\\x00-\\x1f\\x7f/?#@\\\\]+([/?]([^\\s\\x00-\\x1f\\x7f#%]|%[0-9A-Fa-f]{2})*)?$';

/**
 * The URL of a receiver. Whether its address may be reached, and over http, is a policy of the server.
 */
const receiverUrlSchema = z
  .string({ error: urlError })
  .max(maxUrlLength, { error: urlError })
  // `URL` accepts spaces, line breaks and missing or additional slashes; a stored URL must be unambiguous.
  .refine((text) => /^https?:\/\/[^\s\p{Cc}/\\][^\s\p{Cc}]*$/iu.test(text) && URL.canParse(text), {
    error: urlError,
    abort: true,
  })
  .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
    error: 'must not contain credentials: deliveries are authenticated by their signature',
    abort: true,
  })
  .refine((text) => !text.includes('#'), {
    error: 'must not have a fragment: it is never sent',
    abort: true,
  })
  .refine((text) => !/%(?![0-9a-f]{2})/i.test(text), {
    error: 'must have two hexadecimal digits after each %; write the character % as %25',
    abort: true,
  })
  .refine((text) => new RegExp(receiverUrlPattern, 'iu').test(text), { error: urlError })
  .meta({
    pattern: receiverUrlPattern,
    description:
      'Where deliveries are sent: an `https://` URL with a public host and port 443 or one from 1024, without credentials and fragment. It is normalized: an international host name becomes Punycode, and other characters are percent-encoded. A service for development may also accept `http://`, private hosts and any port.',
    examples: ['https://receiver.example/tradepost'],
  });

/** Schema of `WebhookStatus`. */
export const webhookStatusSchema = z
  .enum(webhookStatuses, { error: `must be one of ${webhookStatuses.join(', ')}` })
  .meta({ id: 'WebhookStatus', description: 'A paused webhook receives no deliveries.' });

/** Schema of `Webhook`. */
export const webhookSchema = z
  .object({
    id: webhookIdSchema,
    url: z.string().meta({
      description: 'Where deliveries are sent.',
      examples: ['https://receiver.example/tradepost'],
    }),
    events: z.array(eventTypeSchema).meta({ description: 'Types of the events that it gets.' }),
    status: webhookStatusSchema,
    description: z.string().nullable().meta({
      description: 'What it is for. Null without a description.',
      'x-extension': true,
    }),
    headerNames: z.array(z.string()).meta({
      description:
        'The names of the headers of its own that each delivery has. No response shows their values.',
      examples: [['Authorization']],
      'x-extension': true,
    }),
    attemptsPerMinute: z.int().nullable().meta({
      description: 'How many attempts it gets per minute at most. Null without a limit.',
      'x-extension': true,
    }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Webhook', description: 'A registered endpoint.' });

/** Schema of `CreatedWebhook`. */
export const createdWebhookSchema = webhookSchema
  .extend({
    secret: secretSchema.meta({
      description:
        'The signing secret, the key of `Service-Signature`. Only this response contains it.',
    }),
  })
  .meta({ id: 'CreatedWebhook', description: 'A webhook with its signing secret.' });

/** Schema of `WebhookDetails`. */
export const webhookDetailsSchema = webhookSchema
  .extend({
    stagedSecretAt: timestampSchema
      .nullable()
      .meta({ description: 'When a new secret was staged. Null when there is no staged secret.' }),
    pendingDeliveries: z
      .int()
      .min(0)
      .meta({ description: 'Number of deliveries that wait for their first or next attempt.' }),
    consecutiveFailures: z.int().min(0).meta({
      description:
        'Failed attempts since the last success. Attempts that were in flight together count as one.',
    }),
    backoffUntil: timestampSchema.nullable().meta({
      description:
        'No attempt is made before this time, because the endpoint keeps failing or sent `Retry-After`. Null when there is no backoff.',
    }),
    lastStatus: httpStatusSchema.meta({
      description:
        'HTTP status of the response to the last attempt. Null when there was no response.',
    }),
    lastError: errorNameSchema.meta({
      description:
        'Why the last attempt got no complete response. Null when it got one, or before the first attempt.',
      examples: ['timeout'],
    }),
    failingSince: timestampSchema.nullable().meta({
      description:
        'When the first attempt failed since the last success, or since it was resumed or got a new URL. Null when none did.',
    }),
    disabledAt: timestampSchema.nullable().meta({
      description:
        'When the service paused it, because all attempts had failed for days. Null when it did not. Setting `status` to `active` resumes it and clears this.',
      'x-extension': true,
    }),
    stats: deliveryStatsSchema.exactOptional(),
  })
  .meta({
    id: 'WebhookDetails',
    description:
      'A webhook with the state of its deliveries. `stats`, the statistics of the last 24 hours, is present only in a list whose request has `expand=stats`.',
  });

/** Schema of `StagedSecret`. */
export const stagedSecretSchema = z
  .object({
    webhookId: webhookIdSchema,
    secret: secretSchema.meta({
      description:
        'The key of `Service-Signature` once it is promoted. Only this response contains it.',
    }),
    stagedAt: timestampSchema,
  })
  .meta({ id: 'StagedSecret', description: 'A signing secret that will replace the current one.' });

/** Schema of the response to a registration. */
export const createdWebhookResponseSchema = envelopeSchema(createdWebhookSchema).meta({
  id: 'CreatedWebhookResponse',
});

/** Schema of the response with one webhook. */
export const webhookResponseSchema = envelopeSchema(webhookDetailsSchema).meta({
  id: 'WebhookResponse',
});

/** Schema of a page of webhooks. */
export const webhookPageSchema = pageSchema(webhookDetailsSchema).meta({ id: 'WebhookPage' });

/** Schema of the response with a staged secret. */
export const stagedSecretResponseSchema = envelopeSchema(stagedSecretSchema).meta({
  id: 'StagedSecretResponse',
});

const eventsSchema = z
  .array(eventTypeSchema, { error: 'must be a list of event types' })
  .min(1, { error: 'must have at least one event type' })
  .refine((types) => new Set(types).size === types.length, {
    error: 'must have each event type only once',
  })
  .meta({ uniqueItems: true });

const { description, attemptsPerMinute } = webhookLimits;

const descriptionError = `must be null, or ${lineForm(description.max)}`;

const descriptionSchema = z
  .string({ error: descriptionError })
  .refine((text) => isLine(text, description.max), { error: descriptionError })
  .meta(lineMeta(description.max))
  .nullable()
  .meta({
    description: `What it is for: ${lineForm(description.max)}. Null for no description.`,
    examples: ['Warehouse in Leith'],
    'x-extension': true,
  });

const headerValueSchema = z.string({ error: 'must be a text' }).meta({
  minLength: 1,
  maxLength: customHeaderLimits.valueLength,
  pattern: '^[!-~]([ -~]*[!-~])?$',
});

/** Headers of a webhook. Their names are checked one by one, so that a message names the one that is wrong. */
const headersSchema = z
  .record(z.string(), headerValueSchema, {
    error: 'must be an object of texts by their names',
  })
  .superRefine((given, context) => {
    const names = Object.keys(given);
    if (names.length > customHeaderLimits.max) {
      context.addIssue({
        code: 'custom',
        message: `must have ${customHeaderLimits.max} headers at most`,
      });
    }
    for (const name of names) {
      const message = customHeaderIssue(name, given[name] ?? '', names);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .meta({
    description: `Headers that each delivery has too, such as a key of a gateway: ${customHeaderLimits.max} at most, with values of up to ${customHeaderLimits.valueLength.toLocaleString('en-US')} printable ASCII characters. No response shows the values. Headers that the service sets (such as \`Content-Type\`, \`Service-Signature\`, \`webhook-…\`, \`Tradepost-…\`) and those about the connection are rejected. Headers are not signed.`,
    examples: [{ Authorization: 'Bearer 4fQx' }],
    maxProperties: customHeaderLimits.max,
    // The description has the names that are rejected: the regular expressions of some languages cannot exclude any.
    propertyNames: { pattern: `^[!#$%&'*+.^_|~0-9A-Za-z-]{1,${customHeaderLimits.nameLength}}$` },
    'x-extension': true,
  });

const rateError = `must be null, or an integer from ${attemptsPerMinute.min} to ${attemptsPerMinute.max}`;

const attemptsPerMinuteSchema = z
  .int({ error: rateError })
  .min(attemptsPerMinute.min, { error: rateError })
  .max(attemptsPerMinute.max, { error: rateError })
  .nullable()
  .meta({
    description: `How many attempts it gets per minute at most, ${attemptsPerMinute.min} to ${attemptsPerMinute.max.toLocaleString('en-US')}: what is above waits. Null for no limit.`,
    'x-extension': true,
  });

/** Schema of `CreateWebhook`. */
export const createWebhookSchema = bodySchema({
  url: receiverUrlSchema,
  events: eventsSchema,
  description: descriptionSchema.exactOptional(),
  headers: headersSchema.exactOptional(),
  attemptsPerMinute: attemptsPerMinuteSchema.exactOptional(),
}).meta({ id: 'CreateWebhook' });

/** Schema of `UpdateWebhook`. */
export const updateWebhookSchema = bodySchema({
  url: receiverUrlSchema.exactOptional(),
  events: eventsSchema.exactOptional(),
  status: webhookStatusSchema.exactOptional(),
  description: descriptionSchema.exactOptional(),
  headers: headersSchema.exactOptional(),
  attemptsPerMinute: attemptsPerMinuteSchema.exactOptional(),
})
  .refine((changes) => Object.keys(changes).length > 0, {
    error: 'must have at least one of url, events, status, description, headers, attemptsPerMinute',
  })
  .meta({ id: 'UpdateWebhook', minProperties: 1 });

/** Schema of `SendTestEvent`. */
export const sendTestEventSchema = bodySchema({ event: eventTypeSchema }).meta({
  id: 'SendTestEvent',
});

/** Schema of `ListWebhooks`. */
export const listWebhooksSchema = querySchema({
  expand: webhookExpandSchema,
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
