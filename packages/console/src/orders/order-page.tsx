import { getRouteApi, Link } from '@tanstack/react-router';
import { useExtension } from '../kernel/extensions';
import { useSession } from '../kernel/session';
import { Badge } from '../ui/badge';
import { CopyableId } from '../ui/copyable-id';
import { Fact, Facts } from '../ui/facts';
import { HowTo } from '../ui/how-to';
import { Loaded } from '../ui/loaded';
import { Missing } from '../ui/missing';
import { PageHead, Panel } from '../ui/page';
import { Time } from '../ui/time';
import { ChangeStatus } from './change-status';
import styles from './order-page.module.css';
import { getStatusTone } from './order-words';
import { type ShownOrder, useOrder } from './shown-order';
import { Timeline } from './timeline';

const route = getRouteApi('/gate/orders/$id');

/** One order: what it is, what can be done with it, and what happened to it. */
export function OrderPage() {
  const { id } = route.useParams();
  return (
    <Loaded
      query={useOrder(id)}
      what="the order"
      notFound={
        <Missing
          what="order"
          id={id}
          why="does not exist, or belongs to another account."
          list="/orders"
        />
      }
    >
      {(order) => <Shown order={order} />}
    </Loaded>
  );
}

function Shown({ order }: { order: ShownOrder }) {
  const hasTimeline = useExtension('orders.timeline');
  const command = hasTimeline ? 'timeline' : 'get';
  return (
    <>
      <PageHead
        up="/orders"
        title="Order"
        id={order.id}
        note={
          <>
            <Badge tone={getStatusTone(order.status)}>{order.status}</Badge>
            <span>
              created <Time value={order.createdAt} />, last changed{' '}
              <Time value={order.updatedAt} />
            </span>
          </>
        }
      >
        <ChangeStatus order={order} />
      </PageHead>
      <Facts>
        <Fact name="Buyer">
          <Party name={order.buyer?.name} id={order.buyerId} filter="buyer" />
        </Fact>
        <Fact name="Seller">
          <Party name={order.seller?.name} id={order.sellerId} filter="seller" />
        </Fact>
        <Fact name="Agent">
          {order.agentId === null ? 'none' : <Party name={order.agent?.name} id={order.agentId} />}
        </Fact>
        <Fact name="Listing">
          <Party name={order.listing?.title ?? undefined} id={order.listingId} filter="listing" />
        </Fact>
        <Fact name="Quantity">{order.quantity.toLocaleString('en')}</Fact>
        <Fact name="Version (ETag)">
          {order.etag === null ? 'none' : <code>{order.etag}</code>}
        </Fact>
      </Facts>
      {hasTimeline && (
        <Panel title="What happened">
          <Timeline order={order} />
        </Panel>
      )}
      <HowTo
        cli={['orders', command, order.id]}
        sdk={`await tradepost.orders.${command}('${order.id}')`}
      />
    </>
  );
}

function Party({
  name,
  id,
  filter,
}: {
  name: string | undefined;
  id: string;
  /** The filter of the list of orders that takes its ID. */
  filter?: 'buyer' | 'seller' | 'listing';
}) {
  const hasFilters = useExtension('orders.filters');
  // All orders of an account are its own.
  const isOwn = useSession()?.account?.id === id;
  return (
    <>
      {name !== undefined && <bdi className={styles.partyName}>{name}</bdi>}
      <CopyableId id={id} />
      {filter !== undefined && hasFilters && !isOwn && (
        <Link to="/orders" search={{ [filter]: id }} className={styles.others}>
          Orders of this {filter}
        </Link>
      )}
    </>
  );
}
