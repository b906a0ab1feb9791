import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { endpoints } from '../http/endpoints';
import { notificationIdSchema, pathIdSchema } from '../http/field-schemas';
import { noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import {
  listNotificationsSchema,
  notificationPageSchema,
  notificationResponseSchema,
  updateNotificationSchema,
} from './notification-schemas';

/** The notification endpoints. Source: API specification, "Endpoints". */
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
});
