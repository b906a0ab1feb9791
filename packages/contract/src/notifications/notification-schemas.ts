import * as z from 'zod';
import { eventKinds } from '../events/webhook-event';
import { notificationIdSchema, orderIdSchema, timestampSchema } from '../field-schemas';
import { cursorSchema, limitSchema } from '../http/page-schemas';
import { bodySchema, querySchema } from '../http/request-schemas';
import type { NotificationType } from './notification';

const notificationTypes = eventKinds.map((kind) => kind.replace('.', '_') as NotificationType);

/** Schema of `Notification`. */
export const notificationSchema = z
  .object({
    id: notificationIdSchema,
    type: z
      .enum(notificationTypes)
      .meta({ id: 'NotificationType', description: "The event's kind with _ for the dot." }),
    orderId: orderIdSchema.meta({
      description:
        'The order it is about; of a listing that runs low, the order that took from it.',
    }),
    message: z.string().meta({
      description: 'Names the order and, when its status changed, the new status.',
      examples: ['Order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH is now fulfilling (was pending).'],
    }),
    read: z.boolean().meta({ description: 'False until marked read.' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Notification', description: 'The polling equivalent of an event.' });

/** Schema of `UpdateNotification`. */
export const updateNotificationSchema = bodySchema({
  read: z.literal(true, { error: 'must be true: a notification cannot be made unread' }),
}).meta({ id: 'UpdateNotification' });

const readings = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

/** Schema of `ListNotifications`. */
export const listNotificationsSchema = querySchema({
  read: z
    .preprocess(
      (value: boolean | 'true' | 'false') => readings.get(value) ?? value,
      z.boolean({ error: 'must be true or false' }),
    )
    .exactOptional()
    .meta({ description: 'Only read notifications (true) or only unread ones (false).' }),
  limit: limitSchema.exactOptional(),
  cursor: cursorSchema.exactOptional(),
});
