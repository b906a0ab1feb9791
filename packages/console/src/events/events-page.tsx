import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type AccountEvent, allEventTypes } from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { type FilterField, toArgument, toOptions, toParams } from '../kernel/filters';
import { useKeys } from '../kernel/keys';
import { Button } from '../ui/button';
import { Filters, SelectFilter, TextFilter } from '../ui/filters';
import { type Column, List, pageSize, pages } from '../ui/list';
import { NoMatch } from '../ui/missing';
import { Empty } from '../ui/notices';
import { PageHead } from '../ui/page';
import { Time } from '../ui/time';
import { getOrderId } from './event-words';

const route = getRouteApi('/gate/events');

const fields: readonly FilterField[] = [
  { name: 'type', param: 'type', option: '--type' },
  { name: 'order', param: 'orderId', option: '--order' },
];

const columns: readonly Column<AccountEvent>[] = [
  {
    name: 'Event',
    kind: 'narrow',
    cell: (event) => {
      const orderId = getOrderId(event);
      if (orderId === null) {
        return (
          <Link to="/events/$id" params={{ id: event.id }}>
            <code>{event.id}</code>
          </Link>
        );
      }
      return (
        <Link to="/orders/$id" params={{ id: orderId }} search={{ at: event.id }}>
          <code>{event.id}</code>
        </Link>
      );
    },
  },
  { name: 'Type', kind: 'narrow', cell: ({ event }) => event },
  { name: 'Order', kind: 'narrow', cell: (event) => <code>{getOrderId(event) ?? 'none'}</code> },
  { name: 'By', kind: 'narrow', minor: true, cell: ({ actor }) => actor?.kind ?? 'not known' },
  { name: 'When', kind: 'narrow', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

/** The events of the account, the newest first, as they happen. */
export function EventsPage() {
  const { type, order } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useClient();
  const [isPaused, setPaused] = useState(false);
  const filters = { type, order };
  const query = useInfiniteQuery({
    queryKey: ['events', filters],
    queryFn: ({ pageParam, signal }) =>
      client.events.latest(
        {
          ...toParams(fields, filters),
          limit: pageSize,
          ...(pageParam && { before: pageParam }),
        },
        { signal },
      ),
    ...pages,
    placeholderData: keepPreviousData,
    // Nothing moves while someone reads: a query that is off is not read again. Other filters are read once.
    enabled: ({ state }) => !isPaused || state.data === undefined,
  });
  useKeys({ p: () => setPaused(!isPaused) });
  const change = (some: Partial<typeof filters>, isTyped = false) =>
    void navigate({ search: (before) => ({ ...before, ...some }), replace: isTyped });
  return (
    <>
      <PageHead
        title="Events"
        note={isPaused ? 'Paused: newer events are not shown' : 'The newest first, as they happen'}
      >
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'}
        </Button>
      </PageHead>
      <Filters what="events">
        <SelectFilter
          name="Type"
          value={type}
          choices={[['', 'All types'], ...allEventTypes.map((one) => [one, one] as const)]}
          onChange={(value) => change({ type: value })}
        />
        <TextFilter
          name="Order"
          value={order}
          placeholder="ord_…"
          onChange={(value) => change({ order: value }, true)}
        />
      </Filters>
      <List
        query={query}
        what="events"
        columns={columns}
        lines={{
          cli: ['events', 'list', ...toOptions(fields, filters)],
          sdk: `for await (const event of tradepost.events.latest(${toArgument(toParams(fields, filters))})) …`,
        }}
        empty={
          type !== undefined || order !== undefined ? (
            <NoMatch what="event" list="/events" />
          ) : (
            <Empty title="No events">
              <p>Creating an order and changing its status make events.</p>
            </Empty>
          )
        }
      />
    </>
  );
}
