import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { type EventType, eventTypes } from '../events/event';
import { describeRecipients, eventFacts } from '../events/event-facts';
import { webhookEventSchema } from '../events/event-schemas';
import { deliveryHeaderNames } from '../http/headers';
import { sampleEvents } from '../vectors/genuine';
import { receiverSamples } from './receiver-samples';
import { markExtension } from './routes';
import { signedExample } from './signed-example';
import { receiverTag } from './tags';

const deliveryHeaders = {
  signature: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description:
        "Lowercase hexadecimal HMAC-SHA256 of the raw request body. The key is the whole string of the webhook's `secret`, including `whsec_`.",
      examples: [signedExample.serviceSignature],
    }),
  webhookId: z
    .string()
    .regex(/^evt_[0-9A-Za-z]{1,64}$/)
    .meta({
      description: 'ID of the event, the same in every attempt. Process each ID once.',
      examples: [signedExample.id],
    }),
  webhookTimestamp: z
    .string()
    .regex(/^\d+$/)
    .meta({
      description:
        'When this attempt was sent, in seconds since 1970. Reject a delivery whose timestamp is more than five minutes off.',
      examples: [signedExample.timestamp],
    }),
  webhookSignature: z.string().meta({
    description:
      'Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. The key is the bytes that follow `whsec_` as base64. While a new secret is staged there are two signatures, separated by a space.',
    examples: [signedExample.webhookSignature],
  }),
  position: z
    .string()
    .regex(/^sequence=\d+(, orderVersion=\d+)?(, \w+=\w+)*$/)
    .optional()
    .meta({
      description:
        'Where the event is. `sequence` is its number in the event log of the account: later events have higher ones, with gaps. `orderVersion` is the version of the order after the change, the number in its `ETag`; absent if the event is not about an order. Both are the same in every attempt. Ignore a delivery whose `orderVersion` is not higher than the one that you have: see "Order and duplicates". Ignore names that you do not know. Absent on a test event.',
      examples: [signedExample.position],
    }),
  positionSignature: z
    .string()
    .regex(/^[0-9a-f]{64}( [0-9a-f]{64})*$/)
    .optional()
    .meta({
      description:
        'Lowercase hexadecimal HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{Tradepost-Position}.{body}`. The key is that of `Service-Signature`. Do not use a `Tradepost-Position` that it does not cover. While a new secret is staged there are two signatures, separated by a space.',
      examples: [signedExample.positionSignature],
    }),
  test: z
    .literal('true')
    .optional()
    .meta({
      description:
        'Present on a test event that the account requested: the event did not really happen. Nothing signs this header. What is signed says it too: the first of `orderId`, `listingId` and `webhookId` that there is begins with `ord_TradepostTest`, `lst_TradepostTest` or `whk_TradepostTest`.',
      examples: ['true'],
    }),
} satisfies Record<keyof typeof deliveryHeaderNames, z.ZodType>;

const verification = [
  [
    'To verify it:',
    '1. Take the raw, unparsed body.',
    `2. If your service sends \`${deliveryHeaderNames.webhookSignature}\`, as the reference server does, require it and verify it with a Standard Webhooks library. Decide this in the configuration, never by what a delivery has: otherwise an attacker leaves the header out.`,
    `3. Otherwise compute the lowercase hexadecimal HMAC-SHA256 of the body. The key is the whole text of the webhook's \`secret\`, including \`whsec_\`. Compare it with \`${deliveryHeaderNames.signature}\` in constant time.`,
    `4. Process each \`${deliveryHeaderNames.webhookId}\` once; after step 3, each value of \`${deliveryHeaderNames.signature}\`, which covers neither the ID nor the time: a captured delivery could be sent again under a new ID.`,
  ].join('\n'),
  [
    `To check your code: with the secret \`${signedExample.secret}\`, \`${deliveryHeaderNames.signature}\` is \`${signedExample.serviceSignature}\` for this body of an \`${signedExample.event.event}\`:`,
    `\`\`\`\n${signedExample.body}\n\`\`\``,
  ].join('\n\n'),
  'Acknowledge quickly and process afterwards. An event may arrive more than once, and events may arrive out of order: do not store `data.status` because it arrived last. Read the order when an event arrives, or compare `orderVersion` of `Tradepost-Position`, or read `GET /v1/events`, which is in order.',
];

/** Says why an event is sent, and to whom. */
function describeEvent(event: EventType): string {
  return [
    `${eventFacts[event].cause} Sent as an HTTPS POST to the \`url\` of each webhook of ${describeRecipients(event)} that subscribes to this event.`,
    ...verification,
  ].join('\n\n');
}

/** Builds the operation ID of an event: `onOrderStatusChanged` for `order.status_changed`. */
function receiverOperationId(event: string): string {
  return `on_${event}`.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The example of a delivery has the same event as its headers, so that its signatures are right. */
function buildExample(event: string) {
  const example = sampleEvents.find((sample) => sample.event === event);
  return example?.event === signedExample.event.event
    ? { example: signedExample.event }
    : { example };
}

function buildDelivery(event: EventType, schema: z.ZodType): ZodOpenApiOperationObject {
  const headers = Object.entries(deliveryHeaders).map(([key, header]) => {
    const name = deliveryHeaderNames[key as keyof typeof deliveryHeaders];
    return [name, key === 'signature' ? header : markExtension(header)] as const;
  });
  return {
    operationId: receiverOperationId(event),
    ...(!eventTypes.some((type) => type === event) && { 'x-extension': true }),
    tags: [receiverTag],
    ...(schema.description !== undefined && { summary: schema.description }),
    description: describeEvent(event),
    security: [],
    requestParams: { header: z.object(Object.fromEntries(headers)) },
    requestBody: {
      required: true,
      content: { 'application/json': { schema, ...buildExample(event) } },
    },
    'x-codeSamples': receiverSamples,
    responses: {
      '2XX': { description: 'The delivery is acknowledged.' },
      default: {
        description:
          'Any other response, including a redirect, or no response within 15 seconds: the delivery is retried with exponential backoff for up to 24 hours. `Retry-After` of a 429 or 503 is respected.',
      },
    },
  };
}

/** Builds the `webhooks` of the document: a delivery for each event type. */
export function buildDeliveries(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    webhookEventSchema.options.map((schema) => {
      const event = schema.shape.event.value;
      return [event, { post: buildDelivery(event, schema) }];
    }),
  );
}
