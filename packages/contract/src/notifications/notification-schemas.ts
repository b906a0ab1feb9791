import * as z from 'zod';
import { allEventTypes } from '../events/event';
import { markReadLimit } from '../http/endpoints';
import {
  notificationIdSchema,
  orderIdSchema,
  timestampInputSchema,
  timestampSchema,
} from '../http/field-schemas';
import {
  bodySchema,
  cursorSchema,
  envelopeSchema,
  limitSchema,
  mayGrow,
  pageSchema,
  querySchema,
} from '../http/message-schemas';
import type { NotificationType } from './notification';

const notificationTypes = allEventTypes.map((type) => type.replace('.', '_') as NotificationType);

/** Schema of `Notification`. */
export const notificationSchema = z
  .object({
    id: notificationIdSchema,
    type: z.enum(notificationTypes).meta({
      id: 'NotificationType',
      description: `The event type, with \`_\` for \`.\`. \`webhook_disabled\` is an extension. ${mayGrow}`,
    }),
    orderId: orderIdSchema.meta({
      description:
        'The order. For `listing_availability_low`: the order that reduced the quantity. For `webhook_disabled`: the order of the last delivery that failed, which did nothing to the webhook.',
    }),
    message: z.string().meta({
      description:
        'Names the order and, if it changed, its new status. For `webhook_disabled`: names the webhook, its host, and why it was disabled.',
      examples: ['Order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH is now fulfilling (was pending).'],
    }),
    read: z.boolean().meta({ description: 'False until marked read.' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Notification', description: 'The polling equivalent of an event.' });

/** Schema of the response with one notification. */
export const notificationResponseSchema = envelopeSchema(notificationSchema).meta({
  id: 'NotificationResponse',
});

/** Schema of a page of notifications. */
export const notificationPageSchema = pageSchema(notificationSchema).meta({
  id: 'NotificationPage',
});

/** Schema of `UpdateNotification`. */
export const updateNotificationSchema = bodySchema({
  read: z.literal(true, { error: 'must be true: a notification cannot be marked unread' }).meta({
    description: 'Always true: false is rejected, because a notification cannot be marked unread.',
    // Generators have no type for a constant boolean: their clients send "true", or reject true.
    override: { type: 'boolean', const: undefined },
  }),
}).meta({ id: 'UpdateNotification' });

/** Schema of `MarkNotificationsRead`. */
export const markNotificationsReadSchema = bodySchema({
  before: timestampInputSchema.meta({
    description:
      'Marks the unread notifications created before this time (exclusive). Send a time up to which you have seen them, such as `createdAt` of the newest one: later ones stay unread.',
  }),
}).meta({ id: 'MarkNotificationsRead' });

/** Schema of the response with how many notifications were marked as read. */
export const markedNotificationsResponseSchema = envelopeSchema(
  z
    .object({
      marked: z
        .int()
        .min(0)
        .max(markReadLimit)
        .meta({ description: 'How many are read now that were unread.' }),
      hasMore: z.boolean().meta({
        description:
          'Whether unread ones are left from before this time: send the same request again.',
      }),
    })
    .meta({ id: 'MarkedNotifications', description: 'What a request to mark notifications did.' }),
).meta({ id: 'MarkedNotificationsResponse' });

const readValues = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

/** Schema of `ListNotifications`. */
export const listNotificationsSchema = querySchema({
  read: z
    .preprocess(
      (value: boolean | 'true' | 'false') => readValues.get(value) ?? value,
      z.boolean({ error: 'must be true or false' }),
    )
    .exactOptional()
    .meta({ description: 'Only read notifications (true) or only unread ones (false).' }),
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
