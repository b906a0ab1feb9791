import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { endpoints } from '../http/endpoints';
import { eventIdSchema, pathIdSchema } from '../http/field-schemas';
import { noQuerySchema } from '../http/message-schemas';
import { problemResponses, type RouteMetadata } from '../http/routes';
import { accountEventResponseSchema, eventPageSchema, listEventsSchema } from './event-schemas';

/** The event endpoints, an extension. */
export const eventEndpoints = initContract().router({
  list: {
    ...endpoints.events.list,
    summary: 'List the events that the account may see, oldest first.',
    description: [
      'A client that sends each `nextCursor` as `after` gets every event exactly once and in order. `nextCursor` is never null: request again with it to continue.',
      'With `waitSeconds`, a request that finds no event waits until one happens, or returns an empty page when the time is over. Without `after` and `since`, the first page starts with the oldest stored event.',
      'A request reads only a part of a long log. With `type`, `since` or `until`, a page may therefore have fewer events than `limit`, or none, although more follow: then `hasMore` is true, and the next request continues from there. It does not wait.',
      '`after=now` returns an empty page whose `nextCursor` is the end of the log: start there for events from now on, and for a mirror of the orders: request `after=now`, then all orders, then the events. If events after a cursor are no longer stored, the response is a 410 `cursor_expired`: start again, for example with `after=now` and all orders.',
      'With `tail`, the page has the last events instead of the first ones, still oldest first. Its `previousCursor`, sent as `before` with the same `tail`, requests the page before it, and is null if no earlier event is stored; its `nextCursor` continues after its last event. A page may have fewer events than `tail`, and none with `type` or `until`, although there are earlier ones.',
      'Send the same `orderId`, `type` and `until` with each cursor. An event is found by `until` if it was committed up to a minute after its time, which only a clock that was set back delays for longer.',
      'With `orderId`, the list is the history of one order, as far as the account may see it and its events are still stored: an order that it may not see has none. With `waitSeconds`, it waits for an event of that order.',
    ].join('\n\n'),
    query: listEventsSchema,
    responses: { 200: eventPageSchema, ...problemResponses(410) },
    metadata: {
      operationId: 'listEvents',
      extension: true,
      responseHeaders: [],
      problems: ['cursor_expired'],
    } as RouteMetadata,
  },
  get: {
    ...endpoints.events.get,
    summary: 'Get one event that the account may see.',
    description:
      'It has what the event log has, as long as the event is stored. A test event is in no log, and is a 404.',
    pathParams: z.object({ id: pathIdSchema(eventIdSchema) }),
    query: noQuerySchema,
    responses: { 200: accountEventResponseSchema, ...problemResponses(404) },
    metadata: {
      operationId: 'getEvent',
      extension: true,
      responseHeaders: [],
      problems: ['event_not_found'],
    } as RouteMetadata,
  },
});
