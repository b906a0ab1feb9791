import type { AccountName, Party, Profile } from '../profile/profile';
import type { Behaviour, Delivery, Receiver } from '../receiver/receiver';
import { late, type Stall } from '../receiver/stalls';
import type { Mode } from '../report/report';
import type { Call, JsonObject, Operation } from '../service/call';
import {
  findHeader,
  isAccepted,
  isFor,
  isObject,
  isUnclear,
  listIn,
  objectIn,
} from '../service/call';
import { parseJson } from '../service/service';

/** The order statuses of the API. */
export const statuses = ['pending', 'confirmed', 'fulfilling', 'completed', 'cancelled'] as const;
/** The event kinds of the API. */
export const eventKinds = [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
] as const;

/** What a run has seen. Phases collect it, and core checks judge it without further requests. */
export interface Facts {
  profile: Profile;
  mode: Mode;
  /** Every request to the service, until the teardown. */
  calls: Call[];
  deliveries: readonly Delivery[];
  /** Why connections to the receiver ended without a request. */
  refusals: readonly string[];
  webhooks: Webhook[];
  orders: PlacedOrder[];
  changes: Change[];
  probes: Probe[];
  /** The account whose webhooks get `order.status_changed`; null if none was seen. */
  observer: AccountName | null;
  /** What was seen while a delivery of a change waited for its response. */
  statusReads: { order: PlacedOrder; delivery: Delivery; status: unknown }[];
  /** Notifications before and after a request to mark one of them. */
  markings: Marking[];
  /** Lists of orders that show a change: before it and after it, by filter. */
  filters: { before: Map<string, Call>; after: Map<string, Call> };
  /** When the observation of retries began and ended, milliseconds since 1970; null if it did not. */
  retries: { from: number; until: number } | null;
  /** When the kit itself could not run, and for how long, in milliseconds: what it measured then is not the service's doing. */
  stalls: readonly Stall[];
  /** The phases that came to their end. */
  finished: Set<PhaseName>;
  /** What the checks of extensions have found, by their ID: they judge their own requests. */
  extensions: Map<string, Judgement[]>;
}

export type PhaseName =
  | 'start'
  | 'orders'
  | 'events'
  | 'notifications'
  | 'end'
  | 'extensions'
  | 'day';

/** The facts of a run that has seen nothing. */
export const createFacts = (
  profile: Profile,
  mode: Mode,
  { deliveries, refusals }: Pick<Receiver, 'deliveries' | 'refusals'>,
  stalls: readonly Stall[],
): Facts => ({
  ...{ profile, mode, deliveries, refusals, stalls, observer: null, retries: null },
  ...{ calls: [], webhooks: [], orders: [], changes: [], probes: [] },
  ...{ statusReads: [], markings: [], finished: new Set(), extensions: new Map() },
  filters: { before: new Map(), after: new Map() },
});

/** The verdict about one thing: a response, an order, a delivery. */
export interface Judgement {
  verdict: 'pass' | 'fail' | 'inconclusive' | 'n/a' | 'advice';
  /** What was observed, and what was expected. Empty if it passed. */
  reason: string;
  /** The evidence. */
  shown: {
    calls?: readonly (Call | undefined)[];
    deliveries?: readonly (Delivery | undefined)[];
    /** The order whose timeline explains it. */
    orderId?: string | undefined;
  };
}

/** The names in `Tradepost-Extensions` of the first response; null without that header. */
export const listExtensions = ({ calls }: Facts): string[] | null =>
  findHeader(calls[0]?.response?.headers ?? [], 'tradepost-extensions')
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean) ?? null;

/** A registration of the kit. */
export interface Webhook {
  name: string;
  owner: AccountName;
  url: string;
  events: readonly string[];
  behaviour: Behaviour;
  call: Call;
  id: string | null;
  secret: string | null;
  /** Whether the kit has deleted it during the run. */
  isDeleted?: boolean;
}

/** An order that the kit has created. */
export interface PlacedOrder {
  /** What the kit needs it for: `main`, `probe`. */
  name: string;
  id: string;
  listingId: string;
  quantity: number;
  created: Call;
}

/** A request to change the status of an order of the kit. */
export interface Change {
  order: PlacedOrder;
  caller: AccountName;
  /** The order before the request and after it, as GET returned it. */
  before: JsonObject | null;
  to: string;
  call: Call;
  after: JsonObject | null;
}

/** A request that a right service rejects, and what became of its state. */
export interface Probe {
  check: string;
  /** `POST /v1/orders without a key`. */
  label: string;
  call: Call;
  /** What the request caused although it must not; null if nothing. */
  effect: string | null;
}

/** A request to mark a notification, with the `read` of all notifications of its account before and after. */
export interface Marking {
  owner: Party;
  id: string;
  body: JsonObject;
  call: Call;
  /** The `read` of each notification of buyer, seller and agent, by ID. */
  before: Map<string, unknown>;
  after: Map<string, unknown>;
  /** The list of the owner after the request. */
  list: Call;
}

/** A record that a response had, with the response. */
export interface Seen {
  record: JsonObject;
  call: Call;
}

const listRecords = (facts: Facts, single: Operation[], list: Operation): Seen[] =>
  facts.calls.flatMap((call) => {
    if (call.operation === list) return listIn(call).map((record) => ({ record, call }));
    const record = call.operation && single.includes(call.operation) ? objectIn(call) : null;
    return record ? [{ record, call }] : [];
  });

/** Every order in a response to POST, GET one and GET all. */
export const ordersSeen = (facts: Facts): Seen[] =>
  listRecords(facts, ['createOrder', 'getOrder'], 'listOrders');

/** Every notification in a list. Each has the account that asked. */
export const notificationsSeen = (facts: Facts): Seen[] =>
  listRecords(facts, [], 'listNotifications');

export const idsOfOrders = (facts: Facts): Set<string> => new Set(facts.orders.map(({ id }) => id));

export const isChanged = ({ call }: Change): boolean => isAccepted(call);

/** The first order that the kit needed for something. */
export const findOrder = ({ orders }: Facts, wanted: string): PlacedOrder | undefined =>
  orders.find(({ name }) => name === wanted);

/** The accepted change of the run's first order to fulfilling. */
export const firstChange = ({ changes }: Facts): Change | undefined =>
  changes.filter(isChanged).find(({ order }) => order.name === 'main');

/** The notifications about changes of an order, once each, in what the lists of an account have shown. */
export function changeNotifications(facts: Facts, orderId: string, account?: string): Seen[] {
  const seen = notificationsSeen(facts).filter(
    ({ record, call }) =>
      record.type === 'order_status_changed' &&
      record.orderId === orderId &&
      (account === undefined || call.caller === account),
  );
  return [...new Map(seen.map((one) => [one.record.id, one])).values()];
}

/** The accepted changes of the orders that were changed once, under observation. */
export const watchedChanges = ({ changes }: Facts): Change[] =>
  changes.filter((change) => change.order.name === 'watched' && isChanged(change));

/** The one accepted change of the order that got only requests to be rejected before. */
export const fence = ({ changes }: Facts): Change | undefined =>
  changes.find((change) => change.order.name === 'probe' && isChanged(change));

/** The requests that the receiver got for a webhook of the kit and that carry something. */
export const deliveriesTo = (facts: Facts, hook: string): Delivery[] =>
  facts.deliveries.filter((delivery) => delivery.hook === hook && delivery.body.length > 0);

/** Every delivery to a webhook that an account of the kit has registered. */
export const allDeliveries = (facts: Facts): Delivery[] =>
  facts.webhooks.flatMap(({ name }) => deliveriesTo(facts, name)).sort((a, b) => a.at - b.at);

/** The kind of a delivery's event. Without `event`, which EVT-2 finds, a `type` shows what it is. */
export function kindOf({ json }: Delivery): unknown {
  return isObject(json) ? (json.event ?? json.type) : undefined;
}

export const eventData = ({ json }: Pick<Delivery, 'json'>): JsonObject =>
  isObject(json) && isObject(json.data) ? json.data : {};

/** Whether a value occurs anywhere in a JSON value. */
function contains(json: unknown, value: string): boolean {
  if (typeof json === 'object' && json !== null) {
    return Object.values(json).some((inner) => contains(inner, value));
  }
  return json === value;
}

/** Whether a delivery is about an order. */
export const isAbout = ({ json }: Pick<Delivery, 'json'>, orderId: string): boolean =>
  contains(json, orderId);

/** The deliveries of `order.status_changed` about an order to a webhook. */
export function changesDelivered(facts: Facts, hook: string, orderId: string): Delivery[] {
  return deliveriesTo(facts, hook).filter(
    (delivery) => kindOf(delivery) === 'order.status_changed' && isAbout(delivery, orderId),
  );
}

/** Whether a delivery is of a change to fulfilling; a service may change the order further itself. */
export const isFirstChange = (delivery: Delivery): boolean =>
  [undefined, 'fulfilling'].includes(eventData(delivery).status as string | undefined);

/** The attempts of the delivery that a webhook lets fail. */
export function attemptsAt(facts: Facts, hook: string): Delivery[] {
  const order = findOrder(facts, 'retried');
  return order ? changesDelivered(facts, hook, order.id).filter(isFirstChange) : [];
}

/** Whether a response or an event has shown a status of an order that no request has led to: changes cannot be counted then. */
export function hasMovedItself(facts: Facts, { id, created }: PlacedOrder): boolean {
  const { calls } = facts;
  const requested = calls
    .filter((call) => call.operation === 'updateOrder' && isFor(call, id))
    .filter((call) => isAccepted(call) || isUnclear(call))
    .map(({ body }) => parseJson(body ?? undefined))
    .map((body) => (isObject(body) ? body.status : undefined));
  const explained = [undefined, 'pending', objectIn(created)?.status, ...requested];
  const shown = calls
    .map((call) => (call.operation === 'getOrder' ? objectIn(call) : null))
    .filter((order) => order?.id === id)
    .map((order) => order?.status);
  const hook = `ok-${facts.observer}`;
  const told = changesDelivered(facts, hook, id).map((delivery) => eventData(delivery).status);
  return [...shown, ...told].some((status) => !explained.includes(status));
}

/** Whether a response has shown an order with another status than the one from which a request changed it: it had moved itself. */
export function hasMovedBefore(facts: Facts, { order, before, call }: Change): boolean {
  // The command `pending` may have moved it from the status of the first response.
  const { pending } = facts.profile;
  const kinds: (Operation | null)[] = pending ? ['getOrder'] : ['getOrder', 'createOrder'];
  return facts.calls
    .slice(0, facts.calls.indexOf(call))
    .filter(({ operation }) => kinds.includes(operation))
    .map(objectIn)
    .some(
      (seen) =>
        seen?.id === order.id && seen.status !== undefined && seen.status !== before?.status,
    );
}

/** Deliveries without further copies of the same change. */
export function withoutCopies(deliveries: Delivery[]): Delivery[] {
  const key = (delivery: Delivery) => {
    const { orderId, previousStatus, status } = eventData(delivery);
    return JSON.stringify([orderId, previousStatus, status]);
  };
  return [...new Map(deliveries.map((delivery) => [key(delivery), delivery])).values()];
}

/**
 * Whether a delivery got its response so quickly that the service cannot have given up before: a copy of it has another reason then.
 */
export const isPrompt = ({ stalls }: Facts, { at, respondedAt }: Delivery): boolean =>
  respondedAt !== null &&
  respondedAt - at < 250 &&
  !stalls.some(
    ({ endedAt, milliseconds }) =>
      milliseconds > 100 && endedAt > at - 1000 && endedAt < respondedAt + 1000,
  );

/** The stalls in some time, in milliseconds since 1970. */
const stallsBetween = (stalls: readonly Stall[], from: number, until: number): Stall[] =>
  stalls.filter(({ endedAt }) => endedAt >= from && endedAt <= until);

/** For how long the kit itself did not run in some time. All in milliseconds. */
export const stalledBetween = (stalls: readonly Stall[], from: number, until: number): number =>
  stallsBetween(stalls, from, until)
    .filter(({ milliseconds }) => milliseconds >= late)
    .reduce((total, { milliseconds }) => total + milliseconds, 0);

/**
 * How late a delivery may arrive because the kit's process is busy, in milliseconds. A delivery to a process that also sends it, over a
 * connection of its own, takes about thirty turns of the event loop.
 */
export function latenessBetween(stalls: readonly Stall[], from: number, until: number): number {
  const found = stallsBetween(stalls, from, until);
  const sum = (name: 'active' | 'turns') => found.reduce((total, one) => total + one[name], 0);
  return (30 * sum('active')) / Math.max(1, sum('turns'));
}
