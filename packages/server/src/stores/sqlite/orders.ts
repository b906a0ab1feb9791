import type { AccountKind, OrderStatus } from '@tradepost/contract/wire';
import type { DomainEvent } from '../../events/domain-event';
import type { Moment } from '../../moment';
import type { Order } from '../../orders/order';
import type { OrderChange, OrderSituation } from '../../orders/order-change';
import type { OrderStore } from '../../orders/order-store';
import { mergeBounds } from '../page-range';
import { Conditions } from './conditions';
import type { SqliteDatabase } from './database';
import { insertEvents } from './events';
import { answerOnce } from './idempotency';
import { selectListing, updateListing } from './listings';
import { insertTask, selectOpenTask, updateTask } from './tasks';

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

const columnOf: Record<AccountKind, string> = {
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

/** Orders in SQLite. `announce` is told what a change set off, after its commit. */
export function sqliteOrders(
  db: SqliteDatabase,
  announce: (happened: DomainEvent[], queued: number) => void,
): OrderStore {
  function selectOrder(id: string): Order | null {
    const row = db.get<OrderRow>('SELECT * FROM orders WHERE id = ?', id);
    return row === undefined ? null : readOrder(row);
  }

  function selectSituation(id: string): OrderSituation | null {
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

  function writeConsequences({ listing, events }: OrderChange, moment: Moment): number {
    updateListing(db, listing);
    return insertEvents(db, events, moment);
  }

  return {
    async placeOrder({ listingId, claim, moment }, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const answered = await db.write(() =>
        answerOnce(db, claim, moment.now, () => {
          const { change, answer } = decide(selectListing(db, listingId));
          insertOrder(change.order);
          if (change.task !== null) insertTask(db, change.task);
          written = [change.events, writeConsequences(change, moment)];
          return answer;
        }),
      );
      announce(...written);
      return answered;
    },

    async changeOrder(id, moment, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const order = await db.write(() => {
        const found = selectSituation(id);
        const change = decide(found);
        if (change === null) {
          if (found === null) throw new Error(`There is no order ${id} to leave unchanged.`);
          return found.order;
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
        written = [change.events, writeConsequences(change, moment)];
        return change.order;
      });
      announce(...written);
      return order;
    },

    findOrder: (id) => db.read(() => selectOrder(id)),

    listOrders: (caller, { status, ...span }, { after, limit }) =>
      db.read(() => {
        const conditions = new Conditions().add(`${columnOf[caller.kind]} = ?`, caller.accountId);
        if (status !== undefined) conditions.add('status = ?', status);
        conditions.addRange(mergeBounds({ ...span, after }));
        // Left to itself SQLite may prefer a time span to the state, and walk past orders in all others.
        const index = `orders_of_${caller.kind}${status === undefined ? '' : '_by_status'}`;
        return db
          .all<OrderRow>(
            `SELECT * FROM orders INDEXED BY ${index} WHERE ${conditions.sql}
             ORDER BY created_at DESC, id DESC LIMIT ?`,
            ...conditions.values,
            limit,
          )
          .map(readOrder);
      }),
  };
}
