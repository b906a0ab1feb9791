import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type OrderListParams, type OrderSort, orderStatuses } from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { type FilterField, isBackwards, toArgument, toOptions, toParams } from '../kernel/filters';
import { useKeys } from '../kernel/keys';
import { useSession } from '../kernel/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { countOf, formatCount } from '../ui/count';
import { Filters, SelectFilter, TextFilter } from '../ui/filters';
import { type Column, List, pages, usePaging } from '../ui/list';
import { NoMatch } from '../ui/missing';
import { Empty, NoPeriod } from '../ui/notices';
import { PageHead } from '../ui/page';
import { PeriodFilter } from '../ui/period-filter';
import { SavedViews } from '../ui/saved-views';
import { useSelection } from '../ui/selection';
import { Time } from '../ui/time';
import { BulkChange } from './bulk-change';
import { useMayChangeOrders } from './change-status';
import { getStatusTone } from './order-words';
import styles from './orders-page.module.css';

const route = getRouteApi('/gate/orders');
/** Up to how many orders a person gets to know how many a list has. */
const maxCount = 1_000;
const names = ['buyer', 'seller', 'listing'] as const;
const tags = ['etag'] as const;

const sorts: Record<OrderSort, string> = {
  '-createdAt': 'Newest first',
  createdAt: 'Oldest first',
  '-updatedAt': 'Last changed first',
  updatedAt: 'Longest unchanged first',
};

/** The filters of the list, as they are in its address. */
type OrderFilterValues = ReturnType<typeof route.useSearch>;

const fields: readonly FilterField[] = [
  { name: 'status', param: 'status', option: '--status', kind: 'list' },
  { name: 'buyer', param: 'buyerId', option: '--buyer' },
  { name: 'seller', param: 'sellerId', option: '--seller' },
  { name: 'listing', param: 'listingId', option: '--listing' },
  { name: 'from', param: 'createdAfter', option: '--since', kind: 'after' },
  { name: 'to', param: 'createdBefore', option: '--until', kind: 'time' },
  { name: 'sort', param: 'sort', option: '--sort' },
];

/** The orders of the account. */
export function OrdersPage() {
  const filters = route.useSearch();
  const client = useClient();
  const hasNames = useExtension('orders.expand');
  const hasTags = useExtension('orders.etag');
  const hasCount = useExtension('orders.count');
  const paging = usePaging();
  const added = {
    ...paging,
    ...((hasNames || hasTags) && {
      expand: [...(hasNames ? names : []), ...(hasTags ? tags : [])],
    }),
    ...(hasCount && { count: maxCount }),
  };
  const isEmpty = isBackwards(filters);
  const query = useInfiniteQuery({
    queryKey: ['orders', filters, added],
    queryFn: ({ pageParam, signal }) =>
      client.orders.list(
        {
          ...toParams(fields, filters),
          ...added,
          ...(pageParam && { cursor: pageParam }),
        } as OrderListParams,
        { signal },
      ),
    ...pages,
    placeholderData: keepPreviousData,
    enabled: !isEmpty,
  });
  const total = query.data?.pages[0]?.total;
  const count = total === undefined ? undefined : formatCount(total);
  const own = useSession()?.account?.id;
  const rows = query.data?.pages.flatMap(({ data }) => data as Row[]) ?? [];
  const selection = useSelection(rows, JSON.stringify(filters));
  const [isChanging, setChanging] = useState(false);
  const mayChange = useMayChangeOrders();
  const openChange = () => setChanging(selection.rows.length > 0);
  useKeys({ c: openChange });
  return (
    <>
      <PageHead
        title="Orders"
        note={
          <>
            {count !== undefined && (
              <span>
                {count} {count === '1' ? 'order' : 'orders'}
              </span>
            )}
            <span role="status">
              {selection.rows.length > 0 && `${countOf(selection.rows.length, 'order')} selected`}
            </span>
          </>
        }
      >
        <SavedViews page="/orders" search={filters} />
        {mayChange && selection.rows.length > 0 && (
          <>
            <Button onClick={() => selection.remove(selection.rows.map(({ id }) => id))}>
              Clear the selection
            </Button>
            <Button look="primary" onClick={openChange}>
              Change {selection.rows.length} selected
            </Button>
          </>
        )}
      </PageHead>
      {isChanging && (
        <BulkChange
          orders={selection.rows.map(({ id, status, etag = null }) => ({ id, status, etag }))}
          onClose={(settled) => {
            selection.remove(settled);
            setChanging(false);
          }}
        />
      )}
      <OrderFilters filters={filters} />
      {isEmpty ? (
        <NoPeriod />
      ) : (
        <List
          query={query as UseInfiniteQueryResult<{ pages: { data: Row[] }[] }>}
          what="orders"
          columns={columns.filter(({ party }) => !party || !isAlways(query.data, party, own))}
          lines={{
            cli: ['orders', 'list', ...toOptions(fields, filters)],
            sdk: `for await (const order of tradepost.orders.list(${toArgument(toParams(fields, filters))})) …`,
          }}
          selection={mayChange ? selection : undefined}
          empty={<NoOrders isFiltered={Object.keys(filters).length > 0} />}
        />
      )}
    </>
  );
}

interface Row {
  id: string;
  status: string;
  buyerId: string;
  sellerId: string;
  listingId: string;
  quantity: number;
  createdAt: string;
  updatedAt: string;
  buyer?: { name: string };
  seller?: { name: string };
  listing?: { title: string | null };
  etag?: string;
}

const columns: readonly (Column<Row> & { party?: 'buyerId' | 'sellerId' })[] = [
  {
    name: 'Order',
    kind: 'narrow',
    cell: ({ id }) => (
      <Link to="/orders/$id" params={{ id }}>
        <code>{id}</code>
      </Link>
    ),
  },
  {
    name: 'Status',
    kind: 'narrow',
    cell: ({ status }) => <Badge tone={getStatusTone(status)}>{status}</Badge>,
  },
  {
    name: 'Buyer',
    kind: 'text',
    party: 'buyerId',
    cell: ({ buyer, buyerId }) => <bdi>{buyer?.name ?? buyerId}</bdi>,
  },
  {
    name: 'Seller',
    kind: 'text',
    party: 'sellerId',
    cell: ({ seller, sellerId }) => <bdi>{seller?.name ?? sellerId}</bdi>,
  },
  {
    name: 'Listing',
    kind: 'text',
    minor: true,
    cell: ({ listing, listingId }) => <bdi>{listing?.title ?? listingId}</bdi>,
  },
  { name: 'Quantity', kind: 'number', cell: ({ quantity }) => quantity.toLocaleString('en') },
  { name: 'Created', kind: 'narrow', cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    name: 'Changed',
    kind: 'narrow',
    minor: true,
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];

/** Whether a party of all rows is the own account, so that a column says nothing. */
function isAlways(
  data: { pages: { data: readonly Row[] }[] } | undefined,
  party: 'buyerId' | 'sellerId',
  own: string | undefined,
): boolean {
  return data?.pages.every((page) => page.data.every((row) => row[party] === own)) ?? false;
}

/** The filters that are texts, and what they are called. */
const textFilters = [
  ['listing', 'Listing', 'lst_…'],
  ['buyer', 'Buyer', 'usr_…'],
  ['seller', 'Seller', 'usr_…'],
] as const;

function OrderFilters({ filters }: { filters: OrderFilterValues }) {
  const navigate = route.useNavigate();
  const hasFilters = useExtension('orders.filters');
  const hasSort = useExtension('orders.sort');
  const chosen = new Set(filters.status?.split(',').filter(Boolean));
  const change = (some: OrderFilterValues, isTyped = false) =>
    void navigate({ search: (before) => ({ ...before, ...some }), replace: isTyped });
  return (
    <Filters what="orders">
      <fieldset className={styles.statuses}>
        <legend className="only-read">Status</legend>
        {orderStatuses.map((status) => (
          <label key={status}>
            <input
              type="checkbox"
              checked={chosen.has(status)}
              onChange={({ target }) => {
                // Several statuses are an extension of the filters.
                if (!hasFilters) chosen.clear();
                if (target.checked) chosen.add(status);
                else chosen.delete(status);
                change({ status: orderStatuses.filter((one) => chosen.has(one)).join(',') });
              }}
            />
            {status}
          </label>
        ))}
      </fieldset>
      {hasFilters && (
        <PeriodFilter name="Created" from={filters.from} to={filters.to} onChange={change} />
      )}
      {hasFilters &&
        textFilters.map(([name, text, placeholder]) => (
          <TextFilter
            key={name}
            name={text}
            value={filters[name]}
            placeholder={placeholder}
            onChange={(value) => change({ [name]: value }, true)}
          />
        ))}
      {hasSort && (
        <SelectFilter
          name="Sort"
          value={filters.sort ?? '-createdAt'}
          choices={Object.entries(sorts)}
          onChange={(sort) => change({ sort: sort === '-createdAt' ? undefined : sort })}
        />
      )}
    </Filters>
  );
}

function NoOrders({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <NoMatch what="order" list="/orders" />;
  return (
    <Empty title="There are no orders yet">
      <p>Buyers create them. This is how a buyer does:</p>
      <code>tradepost orders create --listing lst_… --quantity 1</code>
      <code>{"await tradepost.orders.create({ listingId: 'lst_…', quantity: 1 })"}</code>
    </Empty>
  );
}
