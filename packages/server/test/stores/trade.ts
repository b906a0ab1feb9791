import type { AccountKind, EventKind, OrderStatus } from '@tradepost/contract';
import type { Caller } from '../../src/accounts/account';
import type { IdempotencyClaim } from '../../src/idempotency-claim';
import type { Listing } from '../../src/listings/listing';
import { changeStatus } from '../../src/orders/change-status';
import type { Order } from '../../src/orders/order';
import { placeOrder } from '../../src/orders/place-order';
import type { Store } from '../../src/store';
import type { Webhook } from '../../src/webhooks/webhook';
import { aCaller, aKey, aListing, aMoment, anAccount, aWebhook, noon } from '../builders';

/** Adds an account of a kind and answers what its requests come from. */
export async function addCaller(store: Store, kind: AccountKind): Promise<Caller> {
  const account = anAccount({ kind });
  const { record } = aKey({ accountId: account.id });
  await store.accounts.addAccount(account, record);
  return aCaller({ accountId: account.id, kind, keyId: record.id });
}

/** What one order is placed with beside its buyer. */
export interface Placing {
  listing?: Listing;
  quantity?: number;
  now?: number;
  claim?: IdempotencyClaim | null;
}

/** Places a buyer's order by the domain's own rules, and tells whether the answer was given before. */
export async function place(
  store: Store,
  buyer: Caller,
  { listing, quantity = 10, now = noon, claim = null }: Placing & { listing: Listing },
): Promise<{ order: Order; replayed: boolean }> {
  const moment = aMoment(now);
  const { answer, replayed } = await store.orders.placeOrder(
    { listingId: listing.id, claim, moment },
    (found) => {
      const change = placeOrder(buyer, { listingId: listing.id, quantity }, found, moment);
      return { change, answer: { status: 201, headers: { ETag: '"1"' }, body: change.order } };
    },
  );
  return { order: answer.body, replayed };
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

  /** Adds the three accounts and the listing, which has an agent unless told. */
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
  async place(placing: Placing = {}): Promise<Order> {
    const { order } = await place(this.store, this.buyer, { listing: this.listing, ...placing });
    return order;
  }

  /** Moves an order as its seller. */
  move({ id }: { id: string }, to: OrderStatus, now = noon): Promise<Order> {
    const moment = aMoment(now);
    const asked = { caller: this.seller, id, to, ifMatch: undefined };
    return this.store.orders.changeOrder(id, moment, (found) => changeStatus(asked, found, moment));
  }

  /** Registers a webhook of an account. */
  subscribe(
    caller: Caller,
    events: EventKind[],
    overrides: Partial<Webhook> = {},
  ): Promise<Webhook> {
    return addWebhook(this.store, aWebhook({ accountId: caller.accountId, events, ...overrides }));
  }

  /** How many units are left of the listing. */
  async unitsLeft(): Promise<number | undefined> {
    return (await this.store.listings.findListing(this.listing.id))?.availableQuantity;
  }
}

/** Adds a webhook as it is; its response shows all of it. */
export async function addWebhook(
  store: Store,
  webhook: Webhook,
  claim: IdempotencyClaim | null = null,
): Promise<Webhook> {
  const request = { accountId: webhook.accountId, claim, moment: aMoment() };
  const { answer } = await store.webhooks.addWebhook(request, () => ({
    webhook,
    answer: { status: 201, headers: {}, body: webhook },
  }));
  return answer.body;
}
