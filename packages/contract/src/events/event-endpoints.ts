import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import { problemResponses, type RouteMetadata } from '../http/routes';
import { eventPageSchema, listEventsSchema } from './event-schemas';

/** The event endpoint, an extension. */
export const eventEndpoints = initContract().router({
  list: {
    ...endpoints.events.list,
    summary: 'List the events that the account may see, oldest first.',
    description: [
      'A client that sends each `nextCursor` as `after` gets every event exactly once and in order. `nextCursor` is never null: request again with it to continue.',
      'With `waitSeconds`, a request that finds no event waits until one happens, or returns an empty page when the time is over. Without `after` and `since`, the first page starts with the oldest stored event.',
      '`after=now` returns an empty page whose `nextCursor` is the end of the log: start there for events from now on, and for a mirror of the orders: request `after=now`, then all orders, then the events. If events after a cursor are no longer stored, the response is a 410 `cursor_expired`: start again, for example with `after=now` and all orders.',
      'With `orderId`, the list is the history of one order, as far as the account may see it and its events are still stored: an order that it may not see has none. Send the same `orderId` with each `after`. With `waitSeconds`, it waits for an event of that order.',
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
});
