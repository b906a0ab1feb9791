import {
  type Change,
  type Facts,
  findOrder,
  firstChange,
  hasMovedBefore,
  hasMovedItself,
  isChanged,
  type PlacedOrder,
  statuses,
} from '../../run/facts';
import {
  type Call,
  isAccepted,
  isFor,
  isLimited,
  type JsonObject,
  listIn,
  mayBeCut,
  objectIn,
  outcome,
} from '../../service/call';
import {
  expect,
  fail,
  inconclusive,
  type Judge,
  type Judgement,
  judgeProbes,
  movedItself,
  notApplicable,
  pass,
  show,
} from '../check';
import { parseTimestamp } from '../timestamp';
import { orderFieldNames } from './formats';

/** What GET returned for an order, oldest first. */
const readings = ({ calls }: Facts, id: string) =>
  calls.flatMap((call) => {
    const isRead = call.operation === 'getOrder' && isFor(call, id);
    const record = isRead ? objectIn(call) : null;
    return record ? [{ record, call }] : [];
  });

/** The request that returned a record. */
const showReading = ({ calls }: Facts, record: JsonObject | null | undefined): Call[] =>
  calls.filter((call) => record && objectIn(call) === record);

/** What changes of an order. */
const changing: readonly string[] = ['status', 'agentId', 'updatedAt'];

/** Passes if two versions of an order have the same values of some fields. */
function expectSame(
  first: JsonObject,
  second: JsonObject,
  names: readonly string[],
  ...things: [PlacedOrder, ...Call[]]
): Judgement {
  const differing = names.filter((name) => show(first[name]) !== show(second[name]));
  const texts = differing.map(
    (name) => `${name} was ${show(first[name])} and is ${show(second[name])}`,
  );
  return expect(differing.length === 0, `${texts.join('; ')}.`, ...things);
}

/** The orders that were requested; not those that came of a request to be rejected. */
const requested = ({ orders }: Facts) => orders.filter(({ name }) => name !== 'refused');

/** Judges the first change, if it was accepted. */
const judgeFirstChange =
  (
    judge: (change: Change, before: JsonObject, after: JsonObject, facts: Facts) => Judgement,
  ): Judge =>
  (facts) => {
    const change = firstChange(facts);
    return change?.before && change.after
      ? [judge(change, change.before, change.after, facts)]
      : [];
  };

/** Judges whether the changed order is in a list. */
function expectListed(call: Call | undefined, order: PlacedOrder, wanted: boolean): Judgement[] {
  if (!call || !isAccepted(call)) return [];
  const isIn = listIn(call).some(({ id }) => id === order.id);
  if (isIn === wanted) return [pass];
  const reason = `The order ${order.id} is${isIn ? '' : ' not'} in ${call.url.replace(/^.*\?/, 'the list with ')}.`;
  return wanted && mayBeCut(call)
    ? [inconclusive(`${reason} It may be on another page: use accounts with fewer orders.`, call)]
    : [fail(reason, call, order)];
}

const judgeFilters =
  (judge: (change: Change, from: string, facts: Facts) => Judgement[]): Judge =>
  (facts) => {
    const change = firstChange(facts);
    const from = change?.before?.status;
    const isStored = change?.after?.status === change?.to;
    return change && isStored && typeof from === 'string' ? judge(change, from, facts) : [];
  };

/** Whether a request that had to be rejected has led to one of the five statuses. */
const leadsToKnown = ({ effect }: { effect: string | null }) =>
  statuses.some((status) => effect?.endsWith(` to "${status}"`));

/** Creating, reading and updating orders. */
export const judgeOrders = {
  'CRE-1': ({ calls, orders, profile }) => {
    const last =
      orders[0]?.created ?? calls.findLast(({ operation }) => operation === 'createOrder');
    if (!last) return [];
    if (typeof objectIn(last)?.id === 'string') return [pass];
    if (isAccepted(last)) return [fail('The response has no order with an id.', last)];
    const advice = typeof profile.listing === 'string' ? ' Set listing to one with 30 units.' : '';
    const reason = `POST /v1/orders: ${outcome(last)}. The listing may be sold out or unknown.`;
    return [inconclusive(reason + advice, last)];
  },
  'CRE-2': (facts) =>
    requested(facts).map(({ created, listingId, quantity }) => {
      const order = objectIn(created) ?? {};
      const isRight = order.listingId === listingId && Number(order.quantity) === quantity;
      const found = `${show(order.quantity)} of ${show(order.listingId)}`;
      return expect(isRight, `Ordered ${found} instead of ${quantity} of ${listingId}.`, created);
    }),
  'CRE-3': judgeProbes('CRE-3', 'pass'),
  'CRE-4': judgeProbes('CRE-4', 'advice'),
  'CRE-5': judgeProbes('CRE-5', 'advice'),
  'CRE-6': judgeProbes('CRE-6', 'pass'),
  'CRE-7': judgeProbes('CRE-7', 'advice'),
  'CRE-8': (facts) => {
    const [first, ...more] = requested(facts);
    const ids = requested(facts).map(({ id }) => id);
    return more.map(({ id, created }) => {
      const isNew = ids.filter((one) => one === id).length === 1;
      const isSameBuyer =
        objectIn(created)?.buyerId === (first && objectIn(first.created)?.buyerId);
      const reason = isNew
        ? 'Orders of one buyer have different buyerIds.'
        : `Two orders are ${id}.`;
      return expect(isNew && isSameBuyer, reason, first?.created, created);
    });
  },
  'GET-1': ({ calls, orders }) => {
    const all = calls.filter((one) => one.operation === 'getOrder' && one.caller === 'buyer');
    // Those that exceeded a limit of requests show nothing beside others.
    const judged = all.every(isLimited) ? all : all.filter((call) => !isLimited(call));
    return judged.flatMap((call) => {
      const order = orders.find(({ id }) => isFor(call, id));
      const found = objectIn(call)?.id;
      const reason = `GET /v1/orders/${order?.id}: ${outcome(call)}, with the id ${show(found)}.`;
      return order ? [expect(found === order.id, reason, call)] : [];
    });
  },
  'GET-2': (facts) => {
    const order = findOrder(facts, 'main');
    const first = order && objectIn(order.created);
    const read = order && readings(facts, order.id)[0];
    if (!first || !read) return [];
    const { before, after } = facts.filters;
    const change = firstChange(facts);
    const listed = (call: Call | undefined) =>
      call
        ? listIn(call)
            .filter(({ id }) => id === order.id)
            .map((record) => ({ record, call }))
        : [];
    return [
      ...[read, ...listed(before.get('all'))].map((other) => {
        const names = orderFieldNames.filter((name) => name in first && name in other.record);
        // The service may have changed the order meanwhile: assigned an agent, for example.
        const isUnchanged = show(first.updatedAt) === show(other.record.updatedAt);
        const compared = isUnchanged ? names : names.filter((name) => !changing.includes(name));
        return expectSame(first, other.record, compared, order, order.created, other.call);
      }),
      ...(change?.after ? listed(after.get('all')) : []).flatMap(({ record, call }) => {
        const [shown, known] = [record.updatedAt, change?.after?.updatedAt].map(parseTimestamp);
        const reason = `The list has updatedAt ${show(record.updatedAt)}; GET had ${show(change?.after?.updatedAt)} before.`;
        return shown == null || known == null
          ? []
          : [expect(shown >= known, reason, order, ...showReading(facts, change?.after), call)];
      }),
    ];
  },
  'GET-3': judgeProbes('GET-3', 'advice'),
  'LST-1': ({ filters }) => {
    const all = filters.after.get('all');
    if (!all || new Set(listIn(all).map(({ status }) => status)).size < 2) return [];
    return statuses.flatMap((status) => {
      const call = filters.after.get(status);
      if (!call) return [];
      if (!isAccepted(call)) return fail(`The filter ${status}: ${outcome(call)}.`, call);
      if (listIn(call).length === 0) return notApplicable(`No order is ${status}.`);
      const wrong = listIn(call).find((order) => order.status !== status);
      const reason = `The list of ${status} orders has ${wrong?.id}, which is ${show(wrong?.status)}.`;
      return expect(wrong === undefined, reason, call);
    });
  },
  'LST-2': judgeFilters((change, from, facts) =>
    hasMovedBefore(facts, change)
      ? [movedItself]
      : expectListed(facts.filters.before.get(from), change.order, true),
  ),
  'LST-3': judgeFilters(({ order, to }, from, facts) => {
    const { after } = facts.filters;
    return [
      ...expectListed(after.get(from), order, false),
      ...(hasMovedItself(facts, order) ? [] : expectListed(after.get(to), order, true)),
    ];
  }),
  'LST-4': ({ filters, calls }) => {
    const list = filters.after.get('all');
    if (!list) return [];
    const ids = listIn(list).map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) < index);
    const reads = calls.filter(
      ({ operation, caller }) => operation === 'getOrder' && caller === 'buyer',
    );
    const unread = ids.slice(0, 10).flatMap((id) => {
      const own = reads.filter((call) => isFor(call, id));
      return own.some(isAccepted) ? [] : own.slice(-1);
    });
    return [
      expect(twice === undefined, `The order ${twice} is in the list twice.`, list),
      ...unread.map((call) => fail(`A listed order cannot be read: ${outcome(call)}.`, list, call)),
    ];
  },
  'UPD-1': judgeFirstChange(({ call, order, to }, _, { status }, facts) =>
    expect(
      status === to || hasMovedItself(facts, order),
      `Changed to ${to}, the order is ${show(status)} for ${facts.profile.events.withinSeconds} s.`,
      call,
      ...showReading(facts, facts.changes.find((change) => change.call === call)?.after),
      order,
    ),
  ),
  'UPD-2': judgeFirstChange(({ call, order }, { updatedAt: before }, { updatedAt: after }) => {
    const [first, second] = [parseTimestamp(before), parseTimestamp(after)];
    if (first === null || second === null) return inconclusive('ORD-9: updatedAt is no timestamp.');
    if (first === second && first % 60_000 === 0) {
      return inconclusive('updatedAt seems to have the precision of a minute.');
    }
    const reason = `updatedAt was ${show(before)} before the change and is ${show(after)} after it.`;
    return expect(second > first, reason, call, order);
  }),
  'UPD-3': judgeFirstChange(({ call, order }, before, after) => {
    // A service may assign an agent with the change.
    const isFree = (name: string) => name === 'agentId' && before.agentId === null;
    const names = orderFieldNames.filter(
      (name) => name !== 'status' && name !== 'updatedAt' && !isFree(name),
    );
    return expectSame(before, after, names, order, call);
  }),
  'UPD-4': judgeProbes('UPD-4', 'advice'),
  'UPD-5': judgeProbes('UPD-5', 'advice', (probe) => !leadsToKnown(probe)),
  'UPD-8': judgeProbes('UPD-5', 'pass', leadsToKnown),
  'UPD-6': (facts) => {
    const sibling = findOrder(facts, 'sibling');
    const all = sibling ? readings(facts, sibling.id) : [];
    const change = firstChange(facts);
    const first = all.findLast(({ call }) => change && call.endedAt <= change.call.sentAt);
    const last = all.at(-1);
    if (!(sibling && change && first && last)) return [];
    if (hasMovedBefore(facts, change)) return [movedItself];
    const names = ['status', 'quantity', 'updatedAt'];
    return [expectSame(first.record, last.record, names, sibling, first.call, last.call)];
  },
  'UPD-7': ({ changes }) =>
    changes.filter(isChanged).flatMap(({ call, order, to }) => {
      const { id, status = to } = objectIn(call) ?? {};
      if (typeof id !== 'string') return [];
      const reason = `The response has the id ${show(id)} and the status ${show(status)}.`;
      const isLater = call.response?.status === 202;
      return [expect(id === order.id && (status === to || isLater), reason, call, order)];
    }),
} satisfies Record<string, Judge>;
