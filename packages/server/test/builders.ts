import type { Account, Caller } from '../src/accounts/account';
import { type IssuedKey, issueKey } from '../src/accounts/api-key';
import type { Attempt, ClaimedDelivery } from '../src/deliveries/delivery';
import type { IdempotencyClaim } from '../src/idempotency-claim';
import { createIds, type NewId } from '../src/ids';
import type { Listing } from '../src/listings/listing';
import type { Moment } from '../src/moment';
import type { Order } from '../src/orders/order';
import type { Task } from '../src/tasks/task';
import { newEndpointSecret, type Webhook } from '../src/webhooks/webhook';

/** When tests take place unless they say otherwise. */
export const noon = Date.parse('2026-11-21T12:00:00.000Z');

const newId = createIds();

const makers = new Map<number, NewId>();

/** A moment, at noon unless told. Its ids sort by it, whatever moments there were before. */
export function aMoment(now = noon): Moment {
  const newIdThen = makers.get(now) ?? createIds();
  makers.set(now, newIdThen);
  return { now, newId: (prefix) => newIdThen(prefix, now) };
}

/** An account: a buyer unless told. */
export function anAccount(overrides: Partial<Account> = {}): Account {
  return {
    id: newId('usr', noon),
    kind: 'buyer',
    name: 'Harbour Street Café',
    createdAt: noon,
    ...overrides,
  };
}

/** An issued key: it may write and does not expire, unless told. */
export function aKey(overrides: Partial<Parameters<typeof issueKey>[0]> = {}): IssuedKey {
  const key = { accountId: newId('usr', noon), readOnly: false, expiresAt: null, ...overrides };
  return issueKey(key, aMoment());
}

/** Who asks: a buyer unless told. */
export function aCaller(overrides: Partial<Caller> = {}): Caller {
  return {
    accountId: newId('usr', noon),
    kind: 'buyer',
    keyId: newId('key', noon),
    readOnly: false,
    ...overrides,
  };
}

/** A listing of 1,000 units, with an agent and without a threshold unless told. */
export function aListing(overrides: Partial<Listing> = {}): Listing {
  return {
    id: newId('lst', noon),
    sellerId: newId('usr', noon),
    agentId: newId('usr', noon),
    availableQuantity: 1_000,
    lowThreshold: null,
    lowTold: false,
    createdAt: noon,
    ...overrides,
  };
}

/** A pending order of 10 units, with an agent unless told. */
export function anOrder(overrides: Partial<Order> = {}): Order {
  return {
    id: newId('ord', noon),
    status: 'pending',
    buyerId: newId('usr', noon),
    sellerId: newId('usr', noon),
    agentId: newId('usr', noon),
    listingId: newId('lst', noon),
    quantity: 10,
    version: 1,
    createdAt: noon,
    updatedAt: noon,
    ...overrides,
  };
}

/** An open task. */
export function aTask(overrides: Partial<Task> = {}): Task {
  return {
    id: newId('tsk', noon),
    orderId: newId('ord', noon),
    agentId: newId('usr', noon),
    createdAt: noon,
    completedAt: null,
    ...overrides,
  };
}

/** An active webhook that subscribes to `order.created`, unless told. */
export function aWebhook(overrides: Partial<Webhook> = {}): Webhook {
  return {
    id: newId('whk', noon),
    accountId: newId('usr', noon),
    url: 'https://receiver.example/tradepost',
    events: ['order.created'],
    status: 'active',
    secret: newEndpointSecret(),
    stagedSecret: null,
    stagedAt: null,
    createdAt: noon,
    updatedAt: noon,
    ...overrides,
  };
}

/** A claim on an idempotency key, good for a day. */
export function aClaim(overrides: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  return {
    accountId: newId('usr', noon),
    operation: 'createOrder',
    key: 'b2f6d4d0-7c7e-4d1f-9d5e-2d9f4a1c8e11',
    fingerprint: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    expiresAt: noon + 24 * 60 * 60 * 1000,
    ...overrides,
  };
}

/** An attempt that was answered 200 at once, unless told. */
export function anAttempt(overrides: Partial<Attempt> = {}): Attempt {
  return {
    startedAt: noon,
    duration: 12,
    url: 'https://receiver.example/tradepost',
    headers: { 'webhook-id': 'evt_1' },
    status: 200,
    error: null,
    excerpt: 'ok',
    retryAfter: null,
    ...overrides,
  };
}

/** A delivery in a worker's hands that was never tried before, unless told. */
export function aClaimedDelivery(overrides: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    id: newId('dlv', noon),
    eventId: newId('evt', noon),
    token: 'a-token',
    attempts: 0,
    tries: 0,
    deadlineAt: noon + 24 * 60 * 60 * 1000,
    webhookId: newId('whk', noon),
    url: 'https://receiver.example/tradepost',
    secret: newEndpointSecret(),
    stagedSecret: null,
    body: '{"event":"order.created"}',
    createdAt: noon,
    test: false,
    ...overrides,
  };
}
