import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { notificationIdSchema, pathIdSchema } from '../field-schemas';
import { endpoints } from '../http/endpoints';
import { dataSchema, pageSchema } from '../http/page-schemas';
import { noQuerySchema } from '../http/request-schemas';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-responses';
import {
  listNotificationsSchema,
  notificationSchema,
  updateNotificationSchema,
} from './notification-schemas';

/** The two notification endpoints. Source: the interface, "Endpoints". */
export const notificationEndpoints = initContract().router({
  list: {
    ...endpoints.notifications.list,
    summary: 'List the notifications of the authenticated account, newest first.',
    description: 'Notifications are the polling equivalent of the events that webhooks receive.',
    query: listNotificationsSchema,
    responses: { 200: pageSchema(notificationSchema), ...problemResponses() },
    metadata: {
      operationId: 'listNotifications',
      extension: false,
      answerHeaders: [],
    } as RouteNotes,
  },
  update: {
    ...endpoints.notifications.update,
    query: noQuerySchema,
    summary: 'Mark a notification as read.',
    description: 'A notification that is read already stays as it is: a repeated request is safe.',
    pathParams: z.object({ id: pathIdSchema(notificationIdSchema) }),
    body: updateNotificationSchema,
    responses: { 200: dataSchema(notificationSchema), ...problemResponses(403, 404, 413, 415) },
    metadata: {
      operationId: 'markNotificationRead',
      extension: false,
      answerHeaders: [],
    } as RouteNotes,
  },
});
