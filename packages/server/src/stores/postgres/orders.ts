import type { AccountKind } from '@tradepost/contract/wire';
import type { DomainEvent } from '../../features/events/event';
import type { Listing } from '../../features/listings/listing';
import type { Order, OrderContext } from '../../features/orders/order';
import type { OrderStore } from '../../features/orders/order-store';
import type { Task } from '../../features/tasks/task';
import { mergeBounds } from '../page-bounds';
import type { PostgresDatabase, Transaction } from './database';
import { addEvents, type Subscriptions, subscriptionsOf } from './events';
import { writeIdempotent } from './idempotency';
import { lockListing } from './listings';
import { Conditions } from './page-range';
import { WriteSet } from './write-set';

const orderColumns = `id, status, buyer_id AS "buyerId", seller_id AS "sellerId", agent_id AS "agentId",
  listing_id AS "listingId", quantity, version, created_at AS "createdAt", updated_at AS "updatedAt"`;

const columnsByFilter: Record<AccountKind, string> = {
  buyer: 'buyer_id',
  seller: 'seller_id',
  agent: 'agent_id',
};

function addOrderInsert(writes: WriteSet, order: Order): void {
  const values = [
    order.id,
    order.status,
    order.buyerId,
    order.sellerId,
    order.agentId,
    order.listingId,
    order.quantity,
    order.version,
    order.createdAt,
    order.updatedAt,
  ].map((value) => writes.bind(value));
  writes.add(
    `INSERT INTO orders (id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
       created_at, updated_at) VALUES (${values.join(', ')})`,
  );
}

function addOrderUpdate(writes: WriteSet, { id, status, version, updatedAt }: Order): void {
  writes.add(
    `UPDATE orders SET status = ${writes.bind(status)}, version = ${writes.bind(version)},
       updated_at = ${writes.bind(updatedAt)} WHERE id = ${writes.bind(id)}`,
  );
}

function addTaskInsert(writes: WriteSet, task: Task): void {
  const values = [task.id, task.orderId, task.agentId, task.createdAt, task.completedAt];
  writes.add(
    `INSERT INTO tasks (id, order_id, agent_id, created_at, completed_at)
     VALUES (${values.map((value) => writes.bind(value)).join(', ')})`,
  );
}

function addTaskUpdate(writes: WriteSet, { id, completedAt }: Task): void {
  writes.add(
    `UPDATE tasks SET completed_at = ${writes.bind(completedAt)} WHERE id = ${writes.bind(id)}`,
  );
}

/** Adds the update of a listing that the transaction has locked. */
function addListingUpdate(writes: WriteSet, listing: Listing): void {
  const { availableQuantity, lowStockNotified, id } = listing;
  writes.add(
    `UPDATE listings SET available_quantity = ${writes.bind(availableQuantity)},
       low_stock_notified = ${writes.bind(lowStockNotified)} WHERE id = ${writes.bind(id)}`,
  );
}

/** What a decision about an order depends on, and the probable recipients of its events. */
interface FoundOrder {
  context: OrderContext;
  recipients: Subscriptions;
}

/**
 * Locks an order, and reads what a decision about it depends on. Its listing is locked only on request: most changes leave it as
 * it is, and many orders share it.
 */
async function selectOrderContext(tx: Transaction, id: string): Promise<FoundOrder | null> {
  // The second statement is sent with the first one, and sees what was committed before the first one got its lock.
  const [orders, related] = await Promise.all([
    tx.rows<Order>(`SELECT ${orderColumns} FROM orders WHERE id = $1 FOR NO KEY UPDATE`, id),
    tx.rows<RelatedRow>(
      `SELECT listings.id, listings.seller_id, listings.agent_id, listings.available_quantity,
         listings.low_threshold, listings.low_stock_notified, listings.created_at,
         tasks.id AS task_id, tasks.agent_id AS task_agent_id, tasks.created_at AS task_created_at,
         recipients.*
       FROM orders JOIN listings ON listings.id = orders.listing_id
       LEFT JOIN tasks ON tasks.order_id = orders.id AND tasks.completed_at IS NULL
       CROSS JOIN LATERAL (${subscriptionsOf(
         'orders.buyer_id, orders.seller_id, orders.agent_id, listings.seller_id, listings.agent_id',
       )}) AS recipients
       WHERE orders.id = $1`,
      id,
    ),
  ]);
  const [order] = orders;
  const [row] = related;
  if (order === undefined) return null;
  if (row === undefined) throw new Error(`Order ${id} has no listing ${order.listingId}.`);
  const listing = {
    id: row.id,
    sellerId: row.seller_id,
    agentId: row.agent_id,
    availableQuantity: row.available_quantity,
    lowThreshold: row.low_threshold,
    lowStockNotified: row.low_stock_notified,
    createdAt: row.created_at,
  };
  const task =
    row.task_id === null
      ? null
      : {
          id: row.task_id,
          orderId: id,
          agentId: row.task_agent_id,
          createdAt: row.task_created_at,
          completedAt: null,
        };
  const { accountIds, subscriptions } = row;
  return { context: { order, listing, task }, recipients: { accountIds, subscriptions } };
}

/** A listing, the open task of one of its orders, and the order's participants. */
interface RelatedRow extends Subscriptions {
  id: string;
  seller_id: string;
  agent_id: string | null;
  available_quantity: number;
  low_threshold: number | null;
  low_stock_notified: boolean;
  created_at: number;
  /** Null if there is none; then the other columns of the task are null, too. */
  task_id: string | null;
  task_agent_id: string;
  task_created_at: number;
}

const recipientsOfListing = subscriptionsOf(
  'SELECT unnest(ARRAY[seller_id, agent_id, $2]) FROM listings WHERE id = $1',
);
const noRecipients: Subscriptions = { accountIds: [], subscriptions: [] };

/** Creates the order store. `notify` is called with the events of a change and its number of deliveries, after the commit. */
export function createPostgresOrderStore(
  db: PostgresDatabase,
  notify: (events: DomainEvent[], queued: number) => void,
): OrderStore {
  return {
    async placeOrder({ listingId, buyerId, idempotencyKey, context }, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const [listing, recipients] = await Promise.all([
          lockListing(tx, listingId),
          tx.row<Subscriptions>(recipientsOfListing, listingId, buyerId ?? null),
        ]);
        const { change, response } = decide(listing);
        const writes = new WriteSet();
        addOrderInsert(writes, change.order);
        if (change.task !== null) addTaskInsert(writes, change.task);
        addListingUpdate(writes, change.listing);
        const known = recipients ?? noRecipients;
        const queued = await addEvents(tx, writes, change.events, known, context);
        writes.send(tx);
        written = [change.events, queued];
        return { response };
      });
      if (!result.replayed) notify(...written);
      return result;
    },

    async changeOrder(id, context, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const order = await db.write(
        async (tx) => {
          written = [[], 0];
          const read = await selectOrderContext(tx, id);
          const found = read?.context ?? null;
          let change = decide(found);
          if (change === null) {
            if (found === null) throw new Error(`Order ${id} does not exist.`);
            return found.order;
          }
          const writes = new WriteSet();
          if (found !== null && change.listing !== found.listing) {
            const listing = await lockListing(tx, found.listing.id);
            change = decide({ ...found, listing: listing ?? found.listing }) ?? change;
            addListingUpdate(writes, change.listing);
          }
          addOrderUpdate(writes, change.order);
          if (change.task !== null) addTaskUpdate(writes, change.task);
          const known = read?.recipients ?? noRecipients;
          const queued = await addEvents(tx, writes, change.events, known, context);
          writes.send(tx);
          written = [change.events, queued];
          return change.order;
          // A request for a status that the order already has changes nothing.
        },
        { isRepeatable: true },
      );
      notify(...written);
      return order;
    },

    findOrder: async (id) =>
      (await db.row<Order>(`SELECT ${orderColumns} FROM orders WHERE id = $1`, id)) ?? null,

    listOrders(caller, { status, ...span }, { after, limit }) {
      const conditions = new Conditions().add(
        `${columnsByFilter[caller.kind]} = ?`,
        caller.accountId,
      );
      if (status !== undefined) conditions.add('status = ?', status);
      conditions.addRange(mergeBounds({ ...span, after }));
      return db.rows<Order>(
        `SELECT ${orderColumns} FROM orders WHERE ${conditions.sql}
         ORDER BY created_at DESC, id DESC LIMIT ${conditions.bind(limit)}`,
        ...conditions.values,
      );
    },
  };
}
