import type { AccountKind, OrderStatus } from '@tradepost/contract/wire';
import type { DomainEvent } from '../../features/events/event';
import type { Order, OrderContext, OrderMutation } from '../../features/orders/order';
import type { OrderStore } from '../../features/orders/order-store';
import type { Task } from '../../features/tasks/task';
import type { CommandContext } from '../../kernel/context';
import { mergeBounds } from '../page-bounds';
import type { SqliteDatabase } from './database';
import { insertEvents } from './events';
import { runIdempotent } from './idempotency';
import { selectListing, updateListing } from './listings';
import { Conditions } from './page-range';

interface OrderRow {
  id: string;
  status: OrderStatus;
  buyer_id: string;
  seller_id: string;
  agent_id: string | null;
  listing_id: string;
  quantity: number;
  version: number;
  created_at: number;
  updated_at: number;
}

type OrderTuple = [
  id: string,
  status: OrderStatus,
  buyerId: string,
  sellerId: string,
  agentId: string | null,
  listingId: string,
  quantity: number,
  version: number,
  createdAt: number,
  updatedAt: number,
];

const columnsByFilter: Record<AccountKind, string> = {
  buyer: 'buyer_id',
  seller: 'seller_id',
  agent: 'agent_id',
};

function readOrder(row: OrderRow): Order {
  return {
    id: row.id,
    status: row.status,
    buyerId: row.buyer_id,
    sellerId: row.seller_id,
    agentId: row.agent_id,
    listingId: row.listing_id,
    quantity: row.quantity,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function readTuple(row: OrderTuple): Order {
  const [id, status, buyerId, sellerId, agentId, listingId, quantity, version] = row;
  const [createdAt, updatedAt] = [row[8], row[9]];
  return {
    id,
    status,
    buyerId,
    sellerId,
    agentId,
    listingId,
    quantity,
    version,
    createdAt,
    updatedAt,
  };
}

/** Creates the order store. `notify` is called with the events of a change and its number of deliveries, after the commit. */
export function createSqliteOrderStore(
  db: SqliteDatabase,
  notify: (events: DomainEvent[], queued: number) => void,
): OrderStore {
  function selectOrder(id: string): Order | null {
    const row = db.get<OrderRow>('SELECT * FROM orders WHERE id = ?', id);
    return row === undefined ? null : readOrder(row);
  }

  function selectOrderContext(id: string): OrderContext | null {
    const order = selectOrder(id);
    if (order === null) return null;
    const listing = selectListing(db, order.listingId);
    if (listing === null) throw new Error(`Order ${id} has no listing ${order.listingId}.`);
    return { order, listing, task: selectOpenTask(db, id) };
  }

  function insertOrder(order: Order): void {
    db.run(
      `INSERT INTO orders (id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
         created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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

  function writeSideEffects({ listing, events }: OrderMutation, context: CommandContext): number {
    updateListing(db, listing);
    return insertEvents(db, events, context);
  }

  return {
    async placeOrder({ listingId, idempotencyKey, context }, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const { change, response } = decide(selectListing(db, listingId));
          insertOrder(change.order);
          if (change.task !== null) insertTask(db, change.task);
          written = [change.events, writeSideEffects(change, context)];
          return response;
        }),
      );
      notify(...written);
      return result;
    },

    async changeOrder(id, context, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await db.write(() => {
        const found = selectOrderContext(id);
        const change = decide(found);
        if (change === null) {
          if (found === null) throw new Error(`Order ${id} does not exist.`);
          return { order: found.order, changed: false };
        }
        const { status, version, updatedAt } = change.order;
        db.run(
          'UPDATE orders SET status = ?, version = ?, updated_at = ? WHERE id = ?',
          status,
          version,
          updatedAt,
          id,
        );
        if (change.task !== null) updateTask(db, change.task);
        written = [change.events, writeSideEffects(change, context)];
        return { order: change.order, changed: true };
      });
      notify(...written);
      return result;
    },

    findOrder: (id) => db.readTogether(() => selectOrder(id)),

    listOrders: (caller, { status, ...span }, { after, limit }) => {
      const conditions = new Conditions().add(
        `${columnsByFilter[caller.kind]} = ?`,
        caller.accountId,
      );
      if (status !== undefined) conditions.add('status = ?', status);
      conditions.addRange(mergeBounds({ ...span, after }));
      // Otherwise SQLite may prefer the time range to the status, and scan orders of all other statuses.
      const index = `orders_of_${caller.kind}${status === undefined ? '' : '_by_status'}`;
      const sql = `SELECT id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
           created_at, updated_at
         FROM orders INDEXED BY ${index} WHERE ${conditions.sql}
         ORDER BY created_at DESC, id DESC LIMIT ?`;
      return db.readTogether(() =>
        db.tuples<OrderTuple>(sql, ...conditions.values, limit).map(readTuple),
      );
    },
  };
}

interface TaskRow {
  id: string;
  order_id: string;
  agent_id: string;
  created_at: number;
  completed_at: number | null;
}

/** Returns the open task of an order, or null. Call inside a write. */
export function selectOpenTask(db: SqliteDatabase, orderId: string): Task | null {
  const row = db.get<TaskRow>(
    'SELECT * FROM tasks WHERE order_id = ? AND completed_at IS NULL',
    orderId,
  );
  if (row === undefined) return null;
  return {
    id: row.id,
    orderId: row.order_id,
    agentId: row.agent_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

/** Inserts a task. Call inside a write. */
export function insertTask(db: SqliteDatabase, task: Task): void {
  db.run(
    'INSERT INTO tasks (id, order_id, agent_id, created_at, completed_at) VALUES (?, ?, ?, ?, ?)',
    task.id,
    task.orderId,
    task.agentId,
    task.createdAt,
    task.completedAt,
  );
}

/** Marks a task as completed. Call inside a write. */
export function updateTask(db: SqliteDatabase, task: Task): void {
  db.run('UPDATE tasks SET completed_at = ? WHERE id = ?', task.completedAt, task.id);
}
