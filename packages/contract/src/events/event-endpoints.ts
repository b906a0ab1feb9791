import { initContract } from '@ts-rest/core';
import { endpoints } from '../http/endpoints';
import type { RouteNotes } from '../http/route-notes';
import { problemResponses } from '../problems/problem-responses';
import { eventsPageSchema, listEventsSchema } from './account-event-schemas';

/** The event endpoint. The interface does not have it. */
export const eventEndpoints = initContract().router({
  list: {
    ...endpoints.events.list,
    summary: 'Follow the events that the account may see, oldest first.',
    description: [
      'A reader that sends each `nextCursor` as `after` gets every event, in order, and none twice. `nextCursor` is always there: ask again with it to go on.',
      'With `waitSeconds`, a request that finds nothing is answered when something happens, or with an empty page when the time is over. Without `after` and `since` the first page starts with the oldest event that is kept.',
    ].join('\n\n'),
    query: listEventsSchema,
    responses: { 200: eventsPageSchema, ...problemResponses() },
    metadata: { operationId: 'listEvents', extension: true, answerHeaders: [] } as RouteNotes,
  },
});
