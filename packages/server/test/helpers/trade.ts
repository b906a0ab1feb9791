import type { AccountKind, EventType, OrderStatus } from '@tradepost/contract';
import type { Caller } from '@tradepost/domain/accounts/account';
import type { IdempotencyKey } from '@tradepost/domain/kernel/idempotency';
import type { Listing } from '@tradepost/domain/listings/listing';
import { changeStatus, type Order, placeOrder } from '@tradepost/domain/orders/order';
import type { ChangedOrder } from '@tradepost/domain/orders/order-store';
import {
  aCaller,
  aContext,
  aListing,
  anAccount,
  aWebhook,
  noon,
} from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import type { Store } from '../../src/stores/store';
import { aKey } from './a-key';

/** Adds an account and returns it as a caller. */
export async function addCaller(store: Store, kind: AccountKind): Promise<Caller> {
  const account = anAccount({ kind });
  const { record } = aKey({ accountId: account.id });
  await store.accounts.addAccount(account, record);
  return aCaller({ accountId: account.id, kind, keyId: record.id });
}

/** Options of an order. */
export interface PlaceOptions {
  listing?: Listing;
  quantity?: number;
  now?: number;
  idempotencyKey?: IdempotencyKey | null;
}

/** Places a buyer's order by the domain's own rules, and returns whether the response is replayed. */
export async function place(
  store: Store,
  buyer: Caller,
  {
    listing,
    quantity = 10,
    now = noon,
    idempotencyKey = null,
  }: PlaceOptions & { listing: Listing },
): Promise<{ order: Order; replayed: boolean }> {
  const context = aContext(now);
  const { response, replayed } = await store.orders.placeOrder(
    { listingId: listing.id, idempotencyKey, context },
    (found) => {
      const change = placeOrder(buyer, { listingId: listing.id, quantity }, found, context);
      return { change, response: { status: 201, headers: { ETag: '"1"' }, body: change.order } };
    },
  );
  return { order: response.body, replayed };
}

/** A buyer, a seller and an agent with a listing between them, in a store. */
export class Trade {
  private constructor(
    readonly store: Store,
    readonly buyer: Caller,
    readonly seller: Caller,
    readonly agent: Caller,
    readonly listing: Listing,
  ) {}

  /** Adds the three accounts and the listing, which has an agent by default. */
  static async open(store: Store, listed: Partial<Listing> = {}): Promise<Trade> {
    const buyer = await addCaller(store, 'buyer');
    const seller = await addCaller(store, 'seller');
    const agent = await addCaller(store, 'agent');
    const parties = { sellerId: seller.accountId, agentId: agent.accountId };
    const listing = aListing({ ...parties, ...listed });
    await store.listings.addListing(listing);
    return new Trade(store, buyer, seller, agent, listing);
  }

  /** The same trade in a store that was opened again. */
  on(store: Store): Trade {
    return new Trade(store, this.buyer, this.seller, this.agent, this.listing);
  }

  /** Places an order of the buyer. */
  async place(options: PlaceOptions = {}): Promise<Order> {
    const { order } = await place(this.store, this.buyer, { listing: this.listing, ...options });
    return order;
  }

  /** Changes the status of an order as its seller. */
  async move(order: { id: string }, to: OrderStatus, now = noon): Promise<Order> {
    return (await this.change(order, to, { now })).order;
  }

  /** Changes the status of an order as its seller, and returns whether this call did so. */
  change(
    { id }: { id: string },
    to: OrderStatus,
    { now = noon, ifMatch }: { now?: number; ifMatch?: string } = {},
  ): Promise<ChangedOrder> {
    const context = aContext(now);
    const request = { caller: this.seller, id, to, ifMatch };
    return this.store.orders.changeOrder(id, context, (found) =>
      changeStatus(request, found, context),
    );
  }

  /** Registers a webhook of an account. */
  subscribe(
    caller: Caller,
    events: EventType[],
    overrides: Partial<Webhook> = {},
  ): Promise<Webhook> {
    return addWebhook(this.store, aWebhook({ accountId: caller.accountId, events, ...overrides }));
  }

  /** The available units of the listing. */
  async unitsLeft(): Promise<number | undefined> {
    return (await this.store.listings.findListing(this.listing.id))?.availableQuantity;
  }
}

/** Adds a webhook. Its response shows all fields. */
export async function addWebhook(
  store: Store,
  webhook: Webhook,
  idempotencyKey: IdempotencyKey | null = null,
): Promise<Webhook> {
  const request = { accountId: webhook.accountId, idempotencyKey, context: aContext() };
  const { response } = await store.webhooks.addWebhook(request, () => ({
    webhook,
    response: { status: 201, headers: {}, body: webhook },
  }));
  return response.body;
}
