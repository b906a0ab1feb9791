import type { Caller } from '@tradepost/domain/accounts/account';
import { noon } from '@tradepost/domain/test/builders';
import { expect } from 'vitest';
import type { Store } from '../../src/stores/store';
import { Trade } from '../helpers/trade';

/** What a server of the first schema has written: an order of its own, with the event of its creation. */
export const pastOrder = `
  INSERT INTO accounts (id, kind, name, created_at) VALUES ('usr_1', 'buyer', 'Buyer', ${noon}), ('usr_2', 'seller', 'Seller', ${noon});
  INSERT INTO listings (id, seller_id, available_quantity, supplied_quantity, low_stock_notified, created_at)
    VALUES ('lst_1', 'usr_2', 9, 10, '0', ${noon});
  INSERT INTO orders VALUES ('ord_1', 'pending', 'usr_1', 'usr_2', NULL, 'lst_1', 1, 1, ${noon}, ${noon});
  INSERT INTO events VALUES ('evt_1', 'order.created', 'ord_1', '{"event":"order.created"}', ${noon}, 1);
  INSERT INTO account_events (account_id, event_id, ACCOUNT_EVENT_COLUMN) VALUES ('usr_1', 'evt_1', ${noon});
`;

/** Expects that the past order has an event without an actor, and that new events have theirs. */
export async function expectActors(store: Store): Promise<void> {
  const [past] = await store.events.readEvents('usr_1', 0, 10);
  expect(past).toMatchObject({ id: 'evt_1', actorId: null, actorKind: null });
  const trade = await Trade.open(store, { lowThreshold: 10 });
  const order = await trade.place();
  await trade.move(order, 'confirmed');
  const found = await store.events.readEvents(trade.seller.accountId, 0, 10);
  const actors = found.map(({ eventType, actorId, actorKind }) => [eventType, actorId, actorKind]);
  const by = ({ accountId, kind }: Caller, type: string) => [type, accountId, kind];
  expect(actors.slice(0, 2)).toEqual([
    by(trade.buyer, 'order.created'),
    by(trade.buyer, 'task.approval_requested'),
  ]);
  expect(actors.slice(-2)).toEqual([
    by(trade.seller, 'order.status_changed'),
    by(trade.seller, 'task.completed'),
  ]);
}
