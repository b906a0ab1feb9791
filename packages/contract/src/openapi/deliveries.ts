import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { webhookEventSchema } from '../events/event-schemas';
import { deliveryHeaderNames } from '../http/headers';
import { extension } from './extension';
import { signedExample } from './signed-example';

const deliveryHeaders = {
  signature: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description:
        "Lowercase hexadecimal HMAC-SHA256 of the raw request body. The key is the webhook's `secret`, the whole string, `whsec_` included.",
      examples: [signedExample.serviceSignature],
    }),
  webhookId: z
    .string()
    .regex(/^evt_[0-9A-Za-z]{1,64}$/)
    .meta({
      description: 'Id of the event, the same in every attempt: handle each id once.',
      examples: [signedExample.id],
    }),
  webhookTimestamp: z
    .string()
    .regex(/^\d+$/)
    .meta({
      description:
        'When this attempt was made, in seconds since 1970. Refuse one that is more than five minutes off.',
      examples: [signedExample.timestamp],
    }),
  webhookSignature: z.string().meta({
    description:
      'Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. The key is the bytes whose base64 follows `whsec_`. While a secret is replaced there are two of these, with a space between.',
    examples: [signedExample.webhookSignature],
  }),
  test: z
    .literal('true')
    .optional()
    .meta({
      description:
        'There when this is a sample that the account asked for: nothing of what it tells has happened.',
      examples: ['true'],
    }),
} satisfies Record<keyof typeof deliveryHeaderNames, z.ZodType>;

const description = [
  'Sent as an HTTPS POST to the `url` of each webhook that subscribes to this event and may see it.',
  [
    'To verify it:',
    '1. Take the raw, unparsed body.',
    `2. Compute its lowercase hexadecimal HMAC-SHA256, keyed with the webhook's \`secret\`.`,
    `3. Compare that with \`${deliveryHeaderNames.signature}\` in constant time, and refuse the delivery when they differ.`,
  ].join('\n'),
  `To check your code: the secret \`${signedExample.secret}\` and the body \`${signedExample.body}\` make \`${signedExample.serviceSignature}\`.`,
  'Acknowledge quickly and process afterwards. An event may arrive more than once and out of order.',
].join('\n\n');

/** `order.status_changed` is received by `onOrderStatusChanged`. */
function receiverOf(event: string): string {
  return `on_${event}`.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function deliveryOf(event: string, schema: z.ZodType): ZodOpenApiOperationObject {
  const headers = Object.entries(deliveryHeaders).map(([key, header]) => {
    const name = deliveryHeaderNames[key as keyof typeof deliveryHeaders];
    return [name, key === 'signature' ? header : extension(header)] as const;
  });
  return {
    operationId: receiverOf(event),
    tags: ['deliveries'],
    ...(schema.description !== undefined && { summary: schema.description }),
    description,
    security: [],
    requestParams: { header: z.object(Object.fromEntries(headers)) },
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'The delivery is acknowledged.' },
      default: {
        description:
          'Any other answer, redirects included, and no answer within 15 seconds: the delivery is retried with exponential backoff for up to 24 hours. `Retry-After` of a 429 or 503 is honoured.',
      },
    },
  };
}

/** The `webhooks` of the document: a delivery for each event kind. */
export function deliveries(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    webhookEventSchema.options.map((schema) => {
      const event = schema.shape.event.value;
      return [event, { post: deliveryOf(event, schema) }];
    }),
  );
}
