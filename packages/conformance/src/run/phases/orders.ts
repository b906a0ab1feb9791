import { parseTimestamp } from '../../checks/timestamp';
import { parties } from '../../profile/profile';
import {
  type Call,
  type Caller,
  type JsonObject,
  listIn,
  mayBeCut,
  objectIn,
  operations,
} from '../../service/call';
import type { Service } from '../../service/service';
import { type PlacedOrder, statuses } from '../facts';
import {
  CannotRun,
  changeStatus,
  pause,
  placeOrder,
  poll,
  type Run,
  readOrder,
  stopIfInterrupted,
} from '../run';

/** What a refused request must not change: it is read before and after. Returns what has changed, in words; null if nothing has. */
type Oracle = (call: Call) => Promise<string | null>;

/** Sends a request that has to be rejected, a second time if the response is unclear, and records what it caused. */
export async function probe(
  run: Run,
  check: string,
  label: string,
  [caller, operation, options]: Parameters<Service['callTwice']>,
  findEffect: Oracle,
): Promise<void> {
  stopIfInterrupted(run);
  const call = await run.service.callTwice(caller, operation, options);
  const title = `${operations[operation]} ${label}`;
  run.facts.probes.push({ check, label: title, call, effect: await findEffect(call) });
}

/** Who must be rejected by every endpoint. */
export const keyless = [
  ['AUTH-1', 'nobody', 'without a key'],
  ['AUTH-2', 'invented key', 'with an invented key'],
] as const;

/** Creates the orders of the run, asks for what must be refused, and changes the first order. */
export async function checkOrders(run: Run): Promise<void> {
  const { facts, profile, service } = run;
  const main = await placeOrder(run, 'main', { quantity: 3 });
  if (main === null) return;
  const { buyerId, sellerId } = objectIn(main.created) ?? {};
  if (typeof buyerId === 'string' && buyerId === sellerId) {
    throw new CannotRun(
      `The first order has one account as buyer and seller, ${buyerId}. Set keys.buyer and keys.seller of different accounts, and a listing of the seller.`,
    );
  }
  const sibling = await placeOrder(run, 'sibling');
  run.log('Reading orders');
  await readOrder(run, main);
  if (sibling) await readOrder(run, sibling);
  await service.callTwice('seller', 'getOrder', { id: main.id });
  await service.callTwice('buyer', 'listOrders');
  // A list may follow a new order later, too.
  await poll(
    run,
    () => listByStatus(run, facts.filters.before),
    () => {
      const all = facts.filters.before.get('all') as Call;
      return mayBeCut(all) || listIn(all).some(({ id }) => id === main.id);
    },
  );
  await probeCreation(run, main);
  await probeOrder(run, main, sibling);

  // Timestamps may have the precision of a second: a change in the same second would show nothing.
  await pause(run, main.created.endedAt + 1100 - Date.now());
  run.log('Changing the status of an order');
  if (sibling) await readOrder(run, sibling);
  const { before, after } = await changeStatus(run, main, 'fulfilling');
  const findIn = (filter: unknown) => {
    const list = facts.filters.after.get(String(filter));
    return list && listIn(list).find(({ id }) => id === main.id);
  };
  const isStale = () => {
    const [shown, known] = [findIn('all')?.updatedAt, after?.updatedAt].map(parseTimestamp);
    const all = facts.filters.after.get('all');
    const isCut = all !== undefined && mayBeCut(all);
    const isOld = shown != null && known != null && shown < known;
    const hasMoved = before && after && before.status !== after.status;
    return (
      isOld || Boolean(hasMoved && (findIn(before.status) || (!findIn(after.status) && !isCut)))
    );
  };
  // A list may follow a change later.
  await poll(
    run,
    () => listByStatus(run, facts.filters.after),
    () => !isStale(),
  );
  for (const status of [undefined, ...statuses]) {
    const list = await service.callTwice('stranger', 'listOrders', status ? { status } : {});
    const isShown = profile.stranger === 'account' && listIn(list).some(({ id }) => id === main.id);
    if (isShown && status === undefined) await refuseTwinStranger(run, main);
  }
  for (const { id } of listIn(facts.filters.after.get('all') as Call).slice(0, 10)) {
    if (typeof id === 'string') await service.callTwice('buyer', 'getOrder', { id });
  }
  if (sibling) await readOrder(run, sibling);
}

/**
 * Ends the run if the stranger, whose list has an order of the buyer, is the buyer: an order of the stranger shows it.
 *
 * @throws {CannotRun}
 */
async function refuseTwinStranger({ service }: Run, { listingId, created }: PlacedOrder) {
  const body = { listingId, quantity: 1 };
  const { id, buyerId } =
    objectIn(await service.send('stranger', 'POST', '/v1/orders', { body })) ?? {};
  if (typeof id !== 'string') return;
  const path = `/v1/orders/${encodeURIComponent(id)}`;
  await service.send('seller', 'PATCH', path, { body: { status: 'cancelled' } });
  if (buyerId !== objectIn(created)?.buyerId) return;
  throw new CannotRun(
    `keys.buyer and keys.stranger are of one account, ${buyerId}. Set keys of different accounts.`,
  );
}

async function listByStatus({ service }: Run, into: Map<string, Call>): Promise<void> {
  into.set('all', await service.callTwice('buyer', 'listOrders'));
  for (const status of statuses) {
    into.set(status, await service.callTwice('buyer', 'listOrders', { status }));
  }
}

const invented = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`;

/** Requests to create orders that must not create them. */
async function probeCreation(run: Run, main: PlacedOrder): Promise<void> {
  const { facts, service } = run;
  const { listingId } = main;
  const order = objectIn(main.created) ?? {};
  const involved: unknown[] = [order.buyerId, order.sellerId, order.agentId];
  const known = new Set<unknown>(facts.orders.map(({ id }) => id));

  /** Orders in the lists of the parties that were not there before. */
  const listNew = async (): Promise<JsonObject[]> => {
    const found: JsonObject[] = [];
    for (const party of parties) {
      const listed = listIn(await service.callTwice(party, 'listOrders'));
      // Other buyers may order from the seller at the same time.
      const isOurs = ({ buyerId }: JsonObject) =>
        typeof buyerId !== 'string' || involved.includes(buyerId);
      found.push(...listed.filter((one) => isOurs(one) && !known.has(one.id)));
    }
    for (const { id } of found) known.add(id);
    return found;
  };
  await listNew();

  /** Whether a request may have created an order: another client of the buyer may have, at the same time. */
  const mayComeOf = (requested: JsonObject, order: JsonObject) =>
    (requested.listingId === undefined || order.listingId === requested.listingId) &&
    order.quantity === requested.quantity;

  const appeared = ({ id }: JsonObject): string | null => `the order ${id} appeared`;
  const post = (check: string, label: string, caller: Caller, body: JsonObject, judge = appeared) =>
    probe(run, check, label, [caller, 'createOrder', { body }], async (call) => {
      const returned = objectIn(call);
      if (typeof returned?.id === 'string') {
        const { id } = returned;
        known.add(id);
        facts.orders.push({ name: 'refused', id, listingId, quantity: 1, created: call });
        return judge(returned);
      }
      const listNewOfIt = async () => (await listNew()).filter((one) => mayComeOf(body, one));
      const [first] = await listNewOfIt();
      if (first === undefined) return null;
      // What a rejected request creates, it creates again.
      await service.callTwice(caller, 'createOrder', { body });
      const [second] = await listNewOfIt();
      return second === undefined ? null : judge(second);
    });

  const body = { listingId, quantity: 1 };
  // Each has a quantity of its own, by which an order that appears can be told apart from those of other clients.
  for (const [index, [check, caller, who]] of keyless.entries())
    await post(check, who, caller, { listingId, quantity: 4 + index });
  await post('AUTH-3', "with the seller's key", 'seller', { listingId, quantity: 6 });
  await post('AUTH-3', "with the agent's key", 'agent', { listingId, quantity: 7 });
  await post('CRE-4', 'without listingId', 'buyer', { quantity: 8 });
  await post('CRE-5', 'without quantity', 'buyer', { listingId });
  await post('CRE-7', 'with an invented listing', 'buyer', {
    listingId: invented('lst'),
    quantity: 9,
  });
  for (const quantity of [1.5, '3']) {
    const text = JSON.stringify(quantity);
    await post('CRE-6', `with quantity ${text}`, 'buyer', { listingId, quantity }, (created) =>
      Number.isInteger(created.quantity) ? null : `an order has the quantity ${text}`,
    );
  }
  const status = order.status === 'completed' ? 'cancelled' : 'completed';
  const extra = { status, createdAt: '2001-01-01T00:00:00Z' };
  await post(
    'CRE-3',
    `with ${JSON.stringify(extra)}`,
    'buyer',
    { ...body, ...extra },
    (created) => {
      if (created.status === status) return `the new order has the status "${status}"`;
      const isOld = String(created.createdAt).startsWith('2001-01-01');
      return isOld ? 'the new order has the createdAt of the request' : null;
    },
  );
}

/** Whether an order for which nothing was requested has made a move: then the service does that itself. */
async function hasMovedFrom(run: Run, order: PlacedOrder, before: unknown, after: unknown) {
  const isFrom = objectIn(order.created)?.status === before;
  return isFrom && (await readOrder(run, order))?.status === after;
}

/** Requests about one order that must neither change it nor show it. */
async function probeOrder(run: Run, main: PlacedOrder, sibling: PlacedOrder | null): Promise<void> {
  const { profile } = run;
  const get = (check: string, label: string, caller: Caller, id: string) =>
    probe(run, check, label, [caller, 'getOrder', { id }], async (call) =>
      objectIn(call)?.id === undefined ? null : 'the response has an order',
    );
  for (const [check, caller, who] of keyless) {
    await get(check, who, caller, main.id);
    await probe(run, check, who, [caller, 'listOrders'], async (call) =>
      listIn(call).length > 0 ? 'the response has orders' : null,
    );
  }
  await get('VIS-2', "with the stranger's key", 'stranger', main.id);
  await get('GET-3', 'with an invented id', 'buyer', invented('ord'));

  // An order that was changed although the request had to be rejected shows nothing about the next one.
  let probed: PlacedOrder | null = null;
  const patch = async (check: string, label: string, caller: Caller, body: unknown) => {
    probed ??= await placeOrder(run, 'probe');
    if (probed === null) return;
    const order = probed;
    const before = (await readOrder(run, order))?.status;
    await probe(run, check, label, [caller, 'updateOrder', { id: order.id, body }], async () => {
      const after = (await readOrder(run, order))?.status;
      if (before === after || after === undefined) return null;
      if (sibling && (await hasMovedFrom(run, sibling, before, after))) return null;
      order.name = 'changed by a probe';
      probed = null;
      return `the status changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
    });
  };
  const body = { status: 'fulfilling' };
  for (const [check, caller, who] of keyless) await patch(check, who, caller, body);
  await patch('AUTH-4', "with the buyer's key", 'buyer', body);
  if (profile.stranger === 'account')
    await patch('AUTH-4', "with the stranger's key", 'stranger', body);
  if (profile.keys.strangerSeller) {
    await patch('VIS-5', 'with the key of a seller of other orders', 'strangerSeller', body);
  }
  for (const wrong of [{}, { status: null }, { status: 1 }, { status: ['fulfilling'] }]) {
    await patch('UPD-4', `with ${JSON.stringify(wrong)}`, 'seller', wrong);
  }
  for (const status of ['shipped', 'FULFILLING', '']) {
    await patch('UPD-5', `with the status "${status}"`, 'seller', { status });
  }
}
