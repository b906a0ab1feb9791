import * as z from 'zod';
import { eventIdSchema, momentSchema } from '../field-schemas';
import { countSchema } from '../http/count-schema';
import { cursorSchema, limitSchema } from '../http/page-schemas';
import { querySchema } from '../http/request-schemas';
import { eventWait } from './account-event';
import { webhookEventSchema } from './event-schemas';

/** Schema of `AccountEvent`. */
export const accountEventSchema = z
  .intersection(
    z.object({
      id: eventIdSchema.meta({
        description: 'Id of the event: what the header `webhook-id` of its deliveries says.',
      }),
    }),
    webhookEventSchema,
  )
  .meta({
    id: 'AccountEvent',
    description: 'An event that the account may see: what its deliveries carry, and its id.',
  });

/** Schema of `EventsPage`. */
export const eventsPageSchema = z.object({
  data: z.array(accountEventSchema),
  nextCursor: z
    .string()
    .meta({ description: 'What `after` must be to go on from here. It is always there.' }),
});

function hasBoth(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'after' in query && 'since' in query;
}

/** Schema of `ListEvents`. */
export const listEventsSchema = querySchema({
  after: cursorSchema.exactOptional().meta({
    description: '`nextCursor` of the page before: only events that follow it. Opaque.',
  }),
  since: momentSchema.exactOptional().meta({
    description: 'Only events of this moment, inclusive, or after it. Not together with `after`.',
  }),
  limit: limitSchema.exactOptional(),
  waitSeconds: countSchema(eventWait)
    .exactOptional()
    .meta({
      description: `How many seconds to wait for an event when there is none yet; ${eventWait.default} unless told.`,
    }),
}).refine((query) => !hasBoth(query), {
  error: 'send after or since, not both: after says where to go on, since where to start',
  path: ['since'],
  // Told with whatever else is wrong, like every fault.
  when: () => true,
});
