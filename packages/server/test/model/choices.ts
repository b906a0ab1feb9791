import {
  type AccountKind,
  type EventType,
  type OrderStatus,
  orderExpansions,
} from '@tradepost/contract/wire';
import fc from 'fast-check';
import type { ModelKey } from './account-state';
import type { Call } from './call';
import type { Operation } from './operator-model';
import { formatTime, type ModelCursor, type ModelState } from './state';
import { eventTypes } from './webhook-rules';

/** What an action does in a certain state: a call of the API, or an operator's command. */
export type Planned = { call: Call } | { operation: Operation };

/** An action that is independent of the state: its arguments choose among what there is. */
export interface Action {
  /** Returns what it does in this state; null if there is nothing that it could be done with. */
  plan(state: ModelState): Planned | null;
  toString(): string;
}

/** Creates actions from arguments, which a failure prints. */
export function action<Arguments>(
  name: string,
  args: fc.Arbitrary<Arguments>,
  plan: (state: ModelState, args: Arguments) => Planned | null,
): fc.Arbitrary<Action> {
  return args.map((given) => ({
    plan: (state) => plan(state, given),
    toString: () => `${name} ${fc.stringify(given)}`,
  }));
}

/** A value, or none. */
export const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });
/** A filter of a list: with all of them, most lists would be empty. */
export const filter = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
/** Which of the things that there are: often one of the newest, so that several actions are about the same one. */
export const index = fc.oneof(fc.constantFrom(0, 0, 1), fc.nat({ max: 30 }));

/** Picks an item by an index: the newest one for 0, because the most recent things interact most. */
export function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[items.length - 1 - (at % items.length)];
}

/** Who makes a call about something: mostly an account that may, sometimes any account. */
export const who = fc.record({
  relation: fc.constantFrom('own', 'own', 'own', 'own', 'own', 'own', 'own', 'any'),
  account: index,
  key: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: index }),
});
/** Who makes a call: whether as an own account of the thing, which of the accounts, and with which of its keys. */
export type Who = typeof who extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the key of a call: the account's first one, which is always valid, or another one. */
export function keyOf(
  state: ModelState,
  accountId: string | undefined,
  at: number,
): ModelKey | undefined {
  const keys = state.keys.filter((key) => key.accountId === accountId);
  return keys[at % keys.length];
}

/**
 * Chooses the key of a call.
 *
 * @param owners The accounts that may make it; empty for all accounts.
 */
export function chooseKey(state: ModelState, { relation, account, key }: Who, owners: string[]) {
  const accounts = state.accounts.map(({ id }) => id);
  const candidates = relation === 'own' && owners.length > 0 ? owners : accounts;
  return keyOf(state, pick(candidates, account), key)?.text ?? null;
}

/** Returns the accounts of a kind. */
export const ofKind = (state: ModelState, kind: AccountKind): string[] =>
  state.accounts.filter((account) => account.kind === kind).map(({ id }) => id);

/** The end of an ID that nothing has. */
export const unknownId = '0'.repeat(26);

/** An idempotency key, or none. Few different ones, so that they are used again. */
export const idempotencyKey = fc.option(fc.constantFrom('k-1', 'k-2', 'k-3', 'k-4'), {
  nil: undefined,
  freq: 2,
});
/** Returns the field of a call with an idempotency key. */
export const withKey = (key: string | undefined) =>
  key === undefined ? {} : { idempotencyKey: key };

/** A status of an order; mostly one that it can get. */
export const status = fc.constantFrom<OrderStatus[]>(
  'pending',
  'confirmed',
  'confirmed',
  'fulfilling',
  'fulfilling',
  'completed',
  'cancelled',
  'cancelled',
);
/** Which names to return with an order. */
export const expand = fc.uniqueArray(fc.constantFrom(...orderExpansions), { minLength: 1 });
/** Any event type. */
export const eventType = fc.constantFrom(...eventTypes);
/** Most webhooks subscribe to what happens most. */
export const events = fc.oneof(
  { weight: 3, arbitrary: fc.constant<EventType[]>(['order.created', 'order.status_changed']) },
  { weight: 3, arbitrary: fc.uniqueArray(eventType, { minLength: 1 }) },
  { weight: 1, arbitrary: fc.array(eventType, { maxLength: 3 }) },
);
/** A text that is not a URL. */
export const invalidUrl = 'no-url';

/** A page of a list. `cursor` is null for the first one; the cursor may be that of another list. */
export const paging = {
  limit: fc.constantFrom(1, 2, 3, 100, 101),
  cursor: fc.option(
    fc.record({
      of: fc.constantFrom('this', 'this', 'this', 'this', 'this', 'any' as const),
      at: index,
    }),
  ),
};
/** Which page is requested. */
export type Paging = { limit: number; cursor: { of: string; at: number } | null };

/** Builds the query of a page. A cursor is one of the account's own: where those of others point to is not specified. */
export function toPage(
  state: ModelState,
  list: ModelCursor['list'],
  apiKey: string | null,
  { limit, cursor }: Paging,
): { limit: number; cursor?: string } {
  if (cursor === null) return { limit };
  const accountId = state.keys.find(({ text }) => text === apiKey)?.accountId;
  const own = state.cursors.filter((one) => one.accountId === accountId);
  const fitting = own.filter((one) => cursor.of === 'any' || one.list === list);
  const text = pick(fitting, cursor.at)?.text;
  return { limit, ...(text !== undefined && { cursor: text }) };
}

/** A time near that of something that was created. */
export const nearTime = filter(fc.record({ of: index, off: fc.constantFrom(-1, 0, 0, 1) }));
/** A time by an item's index and a difference in milliseconds. */
export type NearTime = { of: number; off: number } | undefined;

/** Returns a time near that of an item, as a client writes it; undefined without one. */
export function toTime(
  items: readonly { createdAt: number }[],
  near: NearTime,
): string | undefined {
  const item = near && pick(items, near.of);
  return item && formatTime(item.createdAt + near.off);
}

/** Which deliveries to list or to replay. */
export const deliveryFilter = {
  event: filter(eventType),
  state: filter(fc.constantFrom('pending', 'delivered', 'failed')),
  since: nearTime,
  until: nearTime,
  statusClass: filter(fc.constantFrom('2xx', '4xx', '5xx', 'none')),
};
type DeliveryFilterChoice = {
  [Name in keyof typeof deliveryFilter]: (typeof deliveryFilter)[Name] extends fc.Arbitrary<
    infer Value
  >
    ? Value
    : never;
};

/** Returns the filter as a client writes it. */
export function toDeliveryFilter(
  { deliveries }: ModelState,
  { since, until, ...others }: DeliveryFilterChoice,
) {
  return defined({ ...others, since: toTime(deliveries, since), until: toTime(deliveries, until) });
}

/** Leaves out what is undefined. */
export function defined<Value>(values: Record<string, Value | undefined>): Record<string, Value> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, Value>;
}
