import type { AccountKind } from '@tradepost/contract/wire';
import type { DomainEvent } from '../../features/events/event';
import type { Order, OrderContext, OrderMutation } from '../../features/orders/order';
import type { OrderStore } from '../../features/orders/order-store';
import type { Task } from '../../features/tasks/task';
import type { CommandContext } from '../../kernel/context';
import { mergeBounds } from '../page-bounds';
import type { PostgresDatabase, Transaction } from './database';
import { writeEvents } from './events';
import { writeIdempotent } from './idempotency';
import { lockListing } from './listings';
import { Conditions } from './page-range';

const orderColumns = `id, status, buyer_id AS "buyerId", seller_id AS "sellerId", agent_id AS "agentId",
  listing_id AS "listingId", quantity, version, created_at AS "createdAt", updated_at AS "updatedAt"`;

const columnsByFilter: Record<AccountKind, string> = {
  buyer: 'buyer_id',
  seller: 'seller_id',
  agent: 'agent_id',
};

function insertOrder(tx: Transaction, order: Order): void {
  tx.send(
    `INSERT INTO orders (id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
       created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
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
  );
}

function insertTask(tx: Transaction, task: Task): void {
  tx.send(
    'INSERT INTO tasks (id, order_id, agent_id, created_at, completed_at) VALUES ($1, $2, $3, $4, $5)',
    task.id,
    task.orderId,
    task.agentId,
    task.createdAt,
    task.completedAt,
  );
}

/** Writes the listing of a change, which the transaction has locked, and what its events cause. */
async function writeSideEffects(
  tx: Transaction,
  { listing, events }: OrderMutation,
  isListingLocked: boolean,
  context: CommandContext,
): Promise<number> {
  if (isListingLocked) {
    tx.send(
      'UPDATE listings SET available_quantity = $2, low_stock_notified = $3 WHERE id = $1',
      listing.id,
      listing.availableQuantity,
      listing.lowStockNotified,
    );
  }
  return await writeEvents(tx, events, context);
}

/**
 * Locks an order, and reads what a decision about it depends on. Its listing is locked only on request: most changes leave it as
 * it is, and many orders share it.
 */
async function selectOrderContext(tx: Transaction, id: string): Promise<OrderContext | null> {
  // The second statement is sent with the first one, and sees what was committed before the first one got its lock.
  const [orders, related] = await Promise.all([
    tx.rows<Order>(`SELECT ${orderColumns} FROM orders WHERE id = $1 FOR NO KEY UPDATE`, id),
    tx.rows<RelatedRow>(
      `SELECT listings.id, listings.seller_id, listings.agent_id, listings.available_quantity,
         listings.low_threshold, listings.low_stock_notified, listings.created_at,
         tasks.id AS task_id, tasks.agent_id AS task_agent_id, tasks.created_at AS task_created_at
       FROM orders JOIN listings ON listings.id = orders.listing_id
       LEFT JOIN tasks ON tasks.order_id = orders.id AND tasks.completed_at IS NULL
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
  return { order, listing, task };
}

/** A listing, and the open task of one of its orders. */
interface RelatedRow {
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

/** Creates the order store. `notify` is called with the events of a change and its number of deliveries, after the commit. */
export function createPostgresOrderStore(
  db: PostgresDatabase,
  notify: (events: DomainEvent[], queued: number) => void,
): OrderStore {
  return {
    async placeOrder({ listingId, idempotencyKey, context }, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const { change, response } = decide(await lockListing(tx, listingId));
        insertOrder(tx, change.order);
        if (change.task !== null) insertTask(tx, change.task);
        written = [change.events, await writeSideEffects(tx, change, true, context)];
        return { response };
      });
      if (!result.replayed) notify(...written);
      return result;
    },

    async changeOrder(id, context, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const order = await db.write(async (tx) => {
        written = [[], 0];
        const found = await selectOrderContext(tx, id);
        let change = decide(found);
        if (change === null) {
          if (found === null) throw new Error(`Order ${id} does not exist.`);
          return found.order;
        }
        const changesListing = found !== null && change.listing !== found.listing;
        if (changesListing) {
          const listing = await lockListing(tx, found.listing.id);
          change = decide({ ...found, listing: listing ?? found.listing }) ?? change;
        }
        const { status, version, updatedAt } = change.order;
        tx.send(
          'UPDATE orders SET status = $2, version = $3, updated_at = $4 WHERE id = $1',
          id,
          status,
          version,
          updatedAt,
        );
        if (change.task !== null) {
          tx.send(
            'UPDATE tasks SET completed_at = $2 WHERE id = $1',
            change.task.id,
            change.task.completedAt,
          );
        }
        written = [change.events, await writeSideEffects(tx, change, changesListing, context)];
        return change.order;
      });
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
