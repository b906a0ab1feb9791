import * as z from 'zod';
import { eventTypes } from '../events/event';
import { notificationIdSchema, orderIdSchema, timestampSchema } from '../http/field-schemas';
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

const notificationTypes = eventTypes.map((type) => type.replace('.', '_') as NotificationType);

/** Schema of `Notification`. */
export const notificationSchema = z
  .object({
    id: notificationIdSchema,
    type: z.enum(notificationTypes).meta({
      id: 'NotificationType',
      description: `The event type, with \`_\` for \`.\`. ${mayGrow}`,
    }),
    orderId: orderIdSchema.meta({
      description:
        'The order. For `listing_availability_low`: the order that reduced the quantity.',
    }),
    message: z.string().meta({
      description: 'Names the order and, if it changed, its new status.',
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
