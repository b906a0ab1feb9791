import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Notification } from '@tradepost/sdk';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { toArgument } from '../kernel/filters';
import { useRefresh } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Filters, SelectFilter } from '../ui/filters';
import { HowTo } from '../ui/how-to';
import { type Column, List, pages, usePaging } from '../ui/list';
import { Empty, Failure } from '../ui/notices';
import { PageHead } from '../ui/page';
import { Time } from '../ui/time';

const route = getRouteApi('/gate/notifications');

const columns: readonly Column<Notification>[] = [
  {
    name: 'Notification',
    cell: ({ message, orderId, read }) => (
      <Link
        to="/orders/$id"
        params={{ id: orderId }}
        style={{ fontWeight: read ? undefined : 600 }}
      >
        <bdi>{message}</bdi>
      </Link>
    ),
  },
  {
    name: 'Type',
    kind: 'narrow',
    cell: ({ type }) => <code>{type}</code>,
  },
  {
    name: 'When',
    kind: 'narrow',
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
];

const state: Column<Notification> = {
  name: 'State',
  kind: 'narrow',
  cell: ({ read }) => (
    <Badge tone={read ? 'plain' : 'info'}>{read ? 'read' : 'not read yet'}</Badge>
  ),
};

/** The notifications of the account. */
export function NotificationsPage() {
  const { read } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useClient();
  const hasFilters = useExtension('notifications.filters');
  const paging = usePaging();
  const params = {
    ...paging,
    ...(hasFilters && read === 'false' && { read: false }),
  };
  const query = useInfiniteQuery({
    queryKey: ['notifications', params],
    queryFn: ({ pageParam, signal }) =>
      client.notifications.list({ ...params, ...(pageParam && { cursor: pageParam }) }, { signal }),
    ...pages,
    placeholderData: keepPreviousData,
  });
  const newest = query.data?.pages[0]?.data[0]?.createdAt;
  const mayWrite = useMayWrite();
  const mark = useMutation({
    mutationFn: (id: string) => client.notifications.markRead(id),
    onSettled: useRefresh('notifications', 'summary', 'timeline'),
  });
  const markable: Column<Notification> = {
    ...state,
    cell: (one) => (
      <span>
        {state.cell(one)}{' '}
        {!one.read && (
          <Button
            look="quiet"
            aria-label={`Mark read: ${one.message}`}
            busy={mark.isPending && mark.variables === one.id}
            onClick={() => mark.mutate(one.id)}
          >
            Mark read
          </Button>
        )}
      </span>
    ),
  };
  const unread = query.data?.pages.flatMap(({ data }) => data).find((one) => !one.read)?.id;
  return (
    <>
      <PageHead title="Notifications">
        {newest !== undefined && <MarkAllRead upTo={newest} />}
      </PageHead>
      {hasFilters && (
        <Filters what="notifications">
          <SelectFilter
            name="State"
            value={read}
            choices={[
              ['', 'All'],
              ['false', 'Not read yet'],
            ]}
            onChange={(value) => void navigate({ search: value ? { read: value } : {} })}
          />
        </Filters>
      )}
      {mark.isError && <Failure error={mark.error} what="mark it read" />}
      <List
        query={query}
        what="notifications"
        columns={columns.toSpliced(2, 0, mayWrite ? markable : state)}
        lines={{
          cli: ['notifications', 'list', ...(read === 'false' ? ['--unread'] : [])],
          sdk: `for await (const one of tradepost.notifications.list(${toArgument(read === 'false' ? { read: false } : {})})) …`,
        }}
        more={
          mayWrite &&
          unread !== undefined && (
            <HowTo
              title="Mark one read: as a command, in code"
              cli={['notifications', 'read', unread]}
              sdk={`await tradepost.notifications.markRead('${unread}')`}
            />
          )
        }
        empty={
          params.read === false ? (
            <Empty title="You have read everything">
              <Link to="/notifications">All notifications</Link>
            </Empty>
          ) : (
            <Empty title="No notifications yet">
              <p>Each event of your orders makes one.</p>
            </Empty>
          )
        }
      />
    </>
  );
}

/** Marks all notifications read that the person has seen, and no later ones. */
function MarkAllRead({ upTo }: { upTo: string }) {
  const client = useClient();
  const isThere = useExtension('notifications.read');
  const mayWrite = useMayWrite();
  const mark = useMutation({
    async mutationFn() {
      // Exclusive, and the newest one has been seen too.
      const before = new Date(Date.parse(upTo) + 1);
      while ((await client.notifications.markAllRead({ before })).hasMore);
    },
    onSettled: useRefresh('notifications', 'summary', 'timeline'),
  });
  if (!isThere || !mayWrite) return null;
  return (
    <>
      <Button busy={mark.isPending} onClick={() => mark.mutate()}>
        Mark all read
      </Button>
      {mark.isError && <Failure error={mark.error} what="mark them read" />}
    </>
  );
}
