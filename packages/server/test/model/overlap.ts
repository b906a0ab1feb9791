import type { Planned } from './choices';
import { usableCounts } from './event-rules';
import type { ModelState, ModelWebhook } from './state';

/**
 * How changes that run at the same time may overlap in a store that does not run them one after another:
 *
 * - They make up their IDs before they are committed, and insert their events before, too. So what they create may be listed in
 *   another order than that in which they took effect. What one of them creates stays in its order.
 * - They find the subscriptions of webhooks before they are committed. So they may miss a change of a webhook that took effect
 *   meanwhile.
 */
export interface Overlap {
  /** Which of the actions so far created something, by its placeholder. */
  groups: ReadonlyMap<string, number>;
  /** The webhooks before each of the actions so far. */
  webhooks: readonly ModelWebhook[][];
}

/** The start of actions at the same time. */
export const noOverlap: Overlap = { groups: new Map(), webhooks: [] };

/** A list that an account sees, or the keys or the audit log that an operator sees. */
export interface Listed {
  list:
    | 'orders'
    | 'notifications'
    | 'webhooks'
    | 'deliveries'
    | 'events'
    | 'keys'
    | 'audit'
    | 'partners';
  /** Each account has an event log of its own. */
  accountId: string | null;
}

type Groups = Overlap['groups'];

const collections = ['orders', 'notifications', 'webhooks', 'deliveries', 'keys', 'audit'] as const;

function idsOf(state: ModelState): string[] {
  const ids = collections.flatMap((name) => state[name].map(({ id }) => id));
  return [...ids, ...state.log.map(({ event }) => event.id)];
}

/**
 * Adds an action that was applied to a store that runs changes one after another. Only the entries of the audit log may have got their
 * IDs before.
 */
export function addSerialAction(
  { groups }: Overlap,
  before: ModelState,
  after: ModelState,
): Overlap {
  const added = after.audit.slice(before.audit.length).map(({ id }) => id);
  const group = groups.size;
  const own = added.map((id): [string, number] => [id, group]);
  return { groups: new Map([...groups, ...own]), webhooks: [] };
}

/** Adds an action that was applied. */
export function addAction(
  { groups, webhooks }: Overlap,
  before: ModelState,
  after: ModelState,
): Overlap {
  const known = new Set(idsOf(before));
  const added = idsOf(after).filter((id) => !known.has(id));
  return {
    groups: new Map([...groups, ...added.map((id): [string, number] => [id, webhooks.length])]),
    webhooks: [...webhooks, before.webhooks],
  };
}

/** Returns the list that an action reads; null if it reads none. */
function listedBy(state: ModelState, planned: Planned): Listed | null {
  if ('operation' in planned) {
    const { kind } = planned.operation;
    if (kind === 'listAudit') return { list: 'audit', accountId: null };
    return kind === 'listKeys' ? { list: 'keys', accountId: null } : null;
  }
  const [noun, verb] = planned.call.route.split('.');
  if (verb !== 'list') return null;
  const key = state.keys.find(({ text }) => text === planned.call.apiKey);
  return { list: noun as Listed['list'], accountId: key?.accountId ?? null };
}

const publishes = (planned: Planned) =>
  'call' in planned
    ? ['orders.create', 'orders.update'].includes(planned.call.route)
    : planned.operation.kind === 'disableWebhook';

/** Yields the states that an action may find; the present one first. */
export function* findableStates(
  state: ModelState,
  planned: Planned,
  overlap: Overlap,
): Generator<ModelState> {
  const listed = listedBy(state, planned);
  yield* listed === null ? [state] : orderings(state, listed, overlap);
  if (!publishes(planned)) return;
  for (const usedCount of usableCounts(state)) yield { ...state, usedCount };
  const show = (webhooks: ModelWebhook[]) =>
    JSON.stringify(webhooks.map(({ id, events, isDeleted }) => [id, events, isDeleted]));
  const shown = new Set([show(state.webhooks)]);
  for (const subscribers of overlap.webhooks) {
    const text = show(subscribers);
    if (!shown.has(text)) yield { ...state, subscribers };
    shown.add(text);
  }
}

function* permutations<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(index, 1))) yield [item, ...rest];
  }
}

/** Yields the orders that items may have: those without a group come first and stay in their order. */
function* arrange<Item>(
  items: readonly Item[],
  groupOf: (item: Item) => number | undefined,
): Generator<Item[]> {
  const fixed = items.filter((item) => groupOf(item) === undefined);
  const groups = new Set(items.flatMap((item) => groupOf(item) ?? []));
  for (const order of permutations([...groups])) {
    yield [...fixed, ...order.flatMap((group) => items.filter((item) => groupOf(item) === group))];
  }
}

/** Orders an event log. What was read from it stays in its order. */
function* logOrderings(
  state: ModelState,
  accountId: string | null,
  groups: Groups,
): Generator<ModelState> {
  const own = state.cursors.filter((one) => one.list === 'events' && one.accountId === accountId);
  const read = Math.max(0, ...own.map(({ position }) => position));
  const places = [...state.log.keys()].filter(
    (place) => place >= read && state.log[place]?.accountId === accountId,
  );
  const entries = places.flatMap((place) => state.log[place] ?? []);
  for (const ordered of arrange(entries, ({ event }) => groups.get(event.id))) {
    const log = [...state.log];
    for (const [index, entry] of ordered.entries()) log[places[index] ?? 0] = entry;
    yield { ...state, log };
  }
}

/** Orders the items of a list, which have ascending numbers, and the cursors that point to them. */
function* itemOrderings(
  state: ModelState,
  list: (typeof collections)[number],
  groups: Groups,
): Generator<ModelState> {
  const items: { id: string; number: number }[] = state[list];
  for (const ordered of arrange(items, ({ id }) => groups.get(id))) {
    const renumbered = new Map(
      ordered.map(({ number }, index) => [number, items[index]?.number ?? number]),
    );
    const renumber = (number: number) => renumbered.get(number) ?? number;
    const cursors = state.cursors.map((cursor) =>
      cursor.list === list ? { ...cursor, position: renumber(cursor.position) } : cursor,
    );
    yield {
      ...state,
      [list]: ordered.map((item) => ({ ...item, number: renumber(item.number) })),
      cursors,
    };
  }
}

/** Yields the state with each order that a list may have; the present one first. */
export function* orderings(
  state: ModelState,
  { list, accountId }: Listed,
  { groups }: Overlap,
): Generator<ModelState> {
  yield state;
  // No two accounts are created at the same time.
  if (groups.size === 0 || list === 'partners') return;
  const all =
    list === 'events' ? logOrderings(state, accountId, groups) : itemOrderings(state, list, groups);
  all.next();
  yield* all;
}
