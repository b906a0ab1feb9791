import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Delivery, DeliveryListParams } from '@tradepost/sdk';
import { useClient } from '../kernel/client';
import { isBackwards, toArgument, toOptions, toParams } from '../kernel/filters';
import { every, untilNextAttempt } from '../kernel/queries';
import { type Column, List, pageSize, pages } from '../ui/list';
import { NoMatch } from '../ui/missing';
import { Empty, NoPeriod } from '../ui/notices';
import { DueTime, Time } from '../ui/time';
import { type DeliveryFilters, deliveryFields } from './delivery-filters';
import { DeliveryVerdict, describeLast } from './delivery-words';

const columns: readonly Column<Delivery>[] = [
  {
    name: 'Delivery',
    kind: 'narrow',
    cell: ({ id }) => (
      <Link to="/deliveries/$id" params={{ id }}>
        <code>{id}</code>
      </Link>
    ),
  },
  { name: 'State', kind: 'narrow', cell: (delivery) => <DeliveryVerdict delivery={delivery} /> },
  {
    name: 'Last attempt',
    kind: 'narrow',
    cell: (delivery) => (
      <>
        {describeLast(delivery)}
        {delivery.nextAttemptAt !== null && (
          <>
            , next <DueTime value={delivery.nextAttemptAt} />
          </>
        )}
      </>
    ),
  },
  {
    name: 'Event',
    kind: 'narrow',
    cell: ({ event, test }) => (test ? `${event}, test` : event),
  },
  {
    name: 'Webhook',
    kind: 'narrow',
    minor: true,
    cell: ({ webhookId }) => (
      <Link to="/webhooks/$id" params={{ id: webhookId }}>
        <code>{webhookId}</code>
      </Link>
    ),
  },
  { name: 'Queued', kind: 'narrow', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

interface Pages {
  pages: { data: readonly Delivery[] }[];
}

/** The deliveries that match. */
export function DeliveryList({
  filters,
  hidden = [],
}: {
  filters: DeliveryFilters;
  /** The names of columns that would say the same in each row. */
  hidden?: readonly string[];
}) {
  const client = useClient();
  const isEmpty = isBackwards(filters);
  const query = useInfiniteQuery({
    queryKey: ['deliveries', filters],
    queryFn: ({ pageParam, signal }) =>
      client.deliveries.list(
        {
          ...toParams(deliveryFields, filters),
          limit: pageSize,
          ...(pageParam && { cursor: pageParam }),
        } as DeliveryListParams,
        { signal },
      ),
    ...pages,
    placeholderData: keepPreviousData,
    enabled: !isEmpty,
    refetchInterval: every<Pages>((all, read) =>
      untilNextAttempt(
        all.pages.flatMap(({ data }) => data),
        read,
      ),
    ),
  });
  if (isEmpty) return <NoPeriod />;
  return (
    <List
      query={query}
      what="deliveries"
      columns={columns.filter(({ name }) => !hidden.includes(name))}
      lines={{
        cli: ['webhooks', 'deliveries', ...toOptions(deliveryFields, filters)],
        sdk: `for await (const one of tradepost.deliveries.list(${toArgument(toParams(deliveryFields, filters))})) …`,
      }}
      empty={
        Object.keys(filters).length > 0 ? (
          <NoMatch what="delivery" list="/deliveries" />
        ) : (
          <Empty title="No deliveries yet">
            <p>Each event of a type that a webhook subscribed to is delivered to it.</p>
            <Link to="/webhooks">Webhooks</Link>
          </Empty>
        )
      }
    />
  );
}
