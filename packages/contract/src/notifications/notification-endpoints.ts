import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { endpoints, markReadLimit } from '../http/endpoints';
import { notificationIdSchema, pathIdSchema } from '../http/field-schemas';
import { idempotencyKeySchema, noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import {
  listNotificationsSchema,
  markedNotificationsResponseSchema,
  markNotificationsReadSchema,
  notificationPageSchema,
  notificationResponseSchema,
  updateNotificationSchema,
} from './notification-schemas';

/** The notification endpoints. `markAllRead` is an extension; the others are in the API specification ("Endpoints"). */
export const notificationEndpoints = initContract().router({
  list: {
    ...endpoints.notifications.list,
    summary: 'List the notifications of the authenticated account, newest first.',
    description: 'Notifications are the polling equivalent of the events that webhooks receive.',
    query: listNotificationsSchema,
    responses: { 200: notificationPageSchema, ...problemResponses() },
    metadata: {
      operationId: 'listNotifications',
      extension: false,
      responseHeaders: [],
    } as RouteMetadata,
  },
  update: {
    ...endpoints.notifications.update,
    query: noQuerySchema,
    summary: 'Mark a notification as read.',
    description:
      'A notification that is already read does not change, so a repeated request is safe.',
    pathParams: z.object({ id: pathIdSchema(notificationIdSchema) }),
    body: updateNotificationSchema,
    responses: { 200: notificationResponseSchema, ...problemResponses(404, 413, 415) },
    metadata: {
      operationId: 'markNotificationRead',
      extension: false,
      responseHeaders: [],
      problems: ['notification_not_found'],
    } as RouteMetadata,
  },
  markAllRead: {
    ...endpoints.notifications.markAllRead,
    query: noQuerySchema,
    summary: 'Mark all notifications up to a time as read.',
    description: `Marks up to ${markReadLimit.toLocaleString('en-US')} unread notifications, the oldest first. Repeat the request while \`hasMore\` is true. A repeated request is safe: what is read stays read.`,
    headers: { 'idempotency-key': idempotencyKeySchema },
    body: markNotificationsReadSchema,
    responses: { 200: markedNotificationsResponseSchema, ...problemResponses(413, 415) },
    metadata: {
      operationId: 'markNotificationsRead',
      extension: true,
      responseHeaders: ['idempotentReplayed'],
    } as RouteMetadata,
  },
});
