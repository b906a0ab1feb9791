import type { Account, Caller } from '../../src/accounts/account';
import { defaultLimits } from '../../src/accounts/limits';
import { defaultAccountRetention } from '../../src/accounts/retention';
import type { Attempt, LeasedDelivery } from '../../src/deliveries/delivery';
import { type CommandContext, createIdGenerator, type IdGenerator } from '../../src/kernel/context';
import type { IdempotencyKey } from '../../src/kernel/idempotency';
import type { Listing } from '../../src/listings/listing';
import type { Order } from '../../src/orders/order';
import type { Task } from '../../src/tasks/task';
import { createEndpointSecret, type Webhook } from '../../src/webhooks/webhook';

/** The default time of tests. */
export const noon = Date.parse('2026-11-21T12:00:00.000Z');

const newId = createIdGenerator();

const generators = new Map<number, IdGenerator>();

/** A context, at noon by default. Its IDs sort by its time, whatever contexts were created before. */
export function aContext(now = noon): CommandContext {
  const newIdThen = generators.get(now) ?? createIdGenerator();
  generators.set(now, newIdThen);
  return { now, newId: (prefix) => newIdThen(prefix, now) };
}

/** An account: a buyer by default. */
export function anAccount(overrides: Partial<Account> = {}): Account {
  return {
    id: newId('usr', noon),
    kind: 'buyer',
    name: 'Harbour Street Café',
    createdAt: noon,
    suspendedAt: null,
    suspensionReason: null,
    erasedAt: null,
    ...defaultLimits,
    ...defaultAccountRetention,
    ...overrides,
  };
}

/** The caller of a request: a buyer by default. */
export function aCaller(overrides: Partial<Caller> = {}): Caller {
  return {
    accountId: newId('usr', noon),
    kind: 'buyer',
    keyId: newId('key', noon),
    isSession: false,
    expiresAt: null,
    readOnly: false,
    ...overrides,
  };
}

/** A listing of 1,000 units, with an agent and without a threshold by default. */
export function aListing(overrides: Partial<Listing> = {}): Listing {
  return {
    id: newId('lst', noon),
    sellerId: newId('usr', noon),
    agentId: newId('usr', noon),
    title: null,
    availableQuantity: 1_000,
    lowThreshold: null,
    lowStockNotified: false,
    createdAt: noon,
    ...overrides,
  };
}

/** An order as the domain and the store have it, with times as numbers; by default pending, of 10 units, with an agent. */
export function anOrderRecord(overrides: Partial<Order> = {}): Order {
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

/** An active webhook that subscribes to `order.created` by default. */
export function aWebhook(overrides: Partial<Webhook> = {}): Webhook {
  return {
    id: newId('whk', noon),
    accountId: newId('usr', noon),
    url: 'https://receiver.example/tradepost',
    events: ['order.created'],
    status: 'active',
    secret: createEndpointSecret(),
    stagedSecret: null,
    stagedAt: null,
    description: null,
    headers: {},
    headerNames: [],
    attemptsPerMinute: null,
    disabledAt: null,
    createdAt: noon,
    updatedAt: noon,
    ...overrides,
  };
}

/** An idempotency key that is valid for a day. */
export function anIdempotencyKey(overrides: Partial<IdempotencyKey> = {}): IdempotencyKey {
  return {
    accountId: newId('usr', noon),
    operation: 'createOrder',
    key: 'b2f6d4d0-7c7e-4d1f-9d5e-2d9f4a1c8e11',
    fingerprint: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    expiresAt: noon + 24 * 60 * 60 * 1000,
    ...overrides,
  };
}

/** An attempt; by default it got 200. */
export function anAttempt(overrides: Partial<Attempt> = {}): Attempt {
  return {
    startedAt: noon,
    durationMs: 12,
    url: 'https://receiver.example/tradepost',
    headers: { 'webhook-id': 'evt_1' },
    status: 200,
    error: null,
    responseSnippet: 'ok',
    retryAfter: null,
    ...overrides,
  };
}

/** A leased delivery; by default it has no attempts. */
export function aLeasedDelivery(overrides: Partial<LeasedDelivery> = {}): LeasedDelivery {
  return {
    id: newId('dlv', noon),
    eventId: newId('evt', noon),
    leaseToken: 'a-token',
    attemptCount: 0,
    scheduledTries: 0,
    deadlineAt: noon + 24 * 60 * 60 * 1000,
    webhookId: newId('whk', noon),
    url: 'https://receiver.example/tradepost',
    secret: createEndpointSecret(),
    stagedSecret: null,
    headers: {},
    body: '{"event":"order.created"}',
    orderVersion: null,
    sequence: null,
    createdAt: noon,
    test: false,
    traceContext: null,
    ...overrides,
  };
}
