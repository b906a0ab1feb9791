import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AccountEvent } from '@tradepost/sdk';
import { useClient } from '../kernel/client';
import { CopyableId } from '../ui/copyable-id';
import { Fact, Facts } from '../ui/facts';
import { HowTo } from '../ui/how-to';
import { Loaded } from '../ui/loaded';
import { Missing } from '../ui/missing';
import { PageHead, Panel } from '../ui/page';
import { Payload } from '../ui/payload';
import { Time } from '../ui/time';
import { getOrderId } from './event-words';

const route = getRouteApi('/gate/events/$id');

/** One event: where it belongs, and what it says. */
export function EventPage() {
  const { id } = route.useParams();
  const client = useClient();
  const query = useQuery({
    queryKey: ['events', 'one', id],
    queryFn: ({ signal }) => client.events.get(id, { signal }),
  });
  return (
    <Loaded
      query={query}
      what="the event"
      notFound={
        <Missing
          what="event"
          id={id}
          why="does not exist, belongs to another account, or was removed because of its age."
          list="/events"
        />
      }
    >
      {(event) => <Shown event={event} />}
    </Loaded>
  );
}

function Shown({ event }: { event: AccountEvent }) {
  const orderId = getOrderId(event);
  return (
    <>
      <PageHead
        up="/events"
        title="Event"
        id={event.id}
        note={
          <span>
            {event.event}, <Time value={event.createdAt} />
          </span>
        }
      />
      <Facts>
        <Fact name="Order">
          {orderId === null ? (
            'none'
          ) : (
            <Link to="/orders/$id" params={{ id: orderId }} search={{ at: event.id }}>
              <code>{orderId}</code>
            </Link>
          )}
        </Fact>
        <Fact name="By">
          {event.actor == null ? (
            'not known'
          ) : (
            <>
              the {event.actor.kind} <CopyableId id={event.actor.accountId} />
            </>
          )}
        </Fact>
        <Fact name="Deliveries">
          <Link to="/deliveries" search={{ event: event.id }}>
            To your webhooks
          </Link>
        </Fact>
      </Facts>
      <Panel title="Data">
        <Payload text={JSON.stringify(event.data, null, 2)} asSent={false} />
      </Panel>
      <HowTo cli={['events', 'get', event.id]} sdk={`await tradepost.events.get('${event.id}')`} />
    </>
  );
}
