import { beforeAll, expect, test } from 'vitest';
import { faults } from '../../../test/conformance/minimal-service/faults';
import { allChecks, coreChecks } from '../src/checks/all-checks';
import type { Delivery } from '../src/receiver/receiver';
import { createExplain, createRedactorFor } from '../src/run/evidence';
import {
  attemptsAt,
  type Change,
  eventData,
  type Facts,
  findOrder,
  kindOf,
} from '../src/run/facts';
import { judge } from '../src/run/judge';
import type { Call, Operation } from '../src/service/call';
import { listIn, objectIn } from '../src/service/call';
import { recordFacts } from './record-facts';

let recorded: Facts;
beforeAll(async () => {
  recorded = await recordFacts();
}, 60_000);

/** A copy of the facts, whose parts refer to each other as the original ones do. */
function copy(): Facts {
  // What a busy machine delayed makes no difference to facts that are changed.
  const facts = { ...structuredClone(recorded), stalls: [] };
  for (const call of facts.calls) {
    call.body &&= Buffer.from(call.body);
    if (call.response) call.response.body = Buffer.from(call.response.body);
  }
  for (const delivery of facts.deliveries) delivery.body = Buffer.from(delivery.body);
  return facts;
}

type Spoil = (facts: Facts) => unknown;
type Json = Record<string, unknown>;

const find = <Item>(items: readonly Item[], isWanted: (item: Item) => boolean): Item => {
  const found = items.find(isWanted);
  if (found === undefined) throw new Error('The recorded facts have no such item.');
  return found;
};
/** Sets a field of all records in responses to an operation. */
const inRecords =
  (operation: Operation, field: string, value: unknown): Spoil =>
  ({ calls }) => {
    for (const call of calls.filter((one) => one.operation === operation))
      for (const record of [objectIn(call), ...listIn(call)])
        if (record) (record as Json)[field] = value;
  };
/** Sets a field of the data of all events. */
const inEvents =
  (field: string, value: unknown): Spoil =>
  ({ deliveries }) => {
    for (const one of deliveries) (eventData(one) as Json)[field] = value;
  };
const withEffect =
  (check: string, effect = 'an order appeared'): Spoil =>
  ({ probes, calls }) =>
    probes.push({ check, label: 'POST', call: find(calls, () => true), effect });
const setStatus = ({ response }: Call, status: number) => {
  if (response) response.status = status;
};
const changeOf = (facts: Facts, name: string): Change =>
  find(facts.changes, ({ order }) => order.name === name);
const dropDeliveries =
  (isDropped: (delivery: Delivery) => boolean): Spoil =>
  (facts) => {
    facts.deliveries = facts.deliveries.filter((one) => !isDropped(one));
  };
const attempts = ({ deliveries }: Facts, name: string) =>
  deliveries.filter(({ hook }) => hook === name);
const copyLast = (facts: Facts, name: string, changed: Partial<Delivery> = {}) => {
  const last = find(attemptsAt(facts, name).toReversed(), () => true);
  facts.deliveries = [...facts.deliveries, { ...last, at: last.at + 10, ...changed }];
};
const listOf = (call: Call | undefined) => ((call?.json ?? { data: [] }) as { data: Json[] }).data;
const at500 = (facts: Facts) => attemptsAt(facts, 'status-500')[0]?.at ?? 0;
const hours = (facts: Facts, ...after: number[]) => {
  const all = attemptsAt(facts, 'status-500').slice(0, after.length);
  const start = all[0]?.at ?? 0;
  for (const [index, one] of all.entries()) one.at = start + (after[index] ?? 0) * 3_600_000;
  facts.deliveries = [...facts.deliveries.filter(({ hook }) => hook !== 'status-500'), ...all];
};

/** What fails a check that no fault of the minimal service fails. */
const failing: Record<string, Spoil> = {
  'AUTH-5': (facts) => setStatus(changeOf(facts, 'main').call, 403),
  'FMT-3': ({ calls }) => {
    for (const call of calls)
      if (call.operation === 'listOrders') (call.json as Json).data = { orders: [] };
  },
  'ORD-3': inRecords('getOrder', 'buyerId', 'me'),
  'ORD-6': inRecords('createOrder', 'listingId', 'book'),
  'CRE-1': ({ orders }) => {
    for (const { created } of orders) created.json = { data: {} };
  },
  'CRE-4': withEffect('CRE-4'),
  'CRE-7': withEffect('CRE-7'),
  'CRE-8': ({ orders }) =>
    Object.assign(objectIn(find(orders, ({ name }) => name === 'sibling').created) ?? {}, {
      buyerId: 'usr_other',
    }),
  'GET-1': inRecords('getOrder', 'id', 'ord_other'),
  'LST-2': ({ filters }) => listOf(filters.before.get('pending')).splice(0),
  'LST-4': ({ filters }) => {
    const list = listOf(filters.after.get('all'));
    list.push(...list.slice(0, 1));
  },
  'UPD-7': inRecords('updateOrder', 'status', 'pending'),
  'UPD-8': withEffect('UPD-5', 'the status changed from "pending" to "completed"'),
  'NTF-2': inRecords('listNotifications', 'id', 1),
  'NTF-3': inRecords('listNotifications', 'type', ''),
  'NTF-5': inRecords('listNotifications', 'message', null),
  'NTF-6': inRecords('listNotifications', 'read', 'no'),
  'NTF-7': inRecords('listNotifications', 'createdAt', 'today'),
  'NTF-10': ({ markings }) => {
    for (const { id, after } of markings) after.set(id, false);
  },
  'NTF-14': (facts) => {
    const { id: orderId } = changeOf(facts, 'probe').order;
    const lists = facts.calls.filter(({ operation }) => operation === 'listNotifications');
    listOf(lists.findLast(({ caller }) => caller === 'seller')).push(
      { id: 'ntf_1', orderId, type: 'order_status_changed' },
      { id: 'ntf_2', orderId, type: 'order_status_changed' },
    );
  },
  'WHK-1': ({ webhooks }) => setStatus(find(webhooks, () => true).call, 403),
  'EVT-1': ({ deliveries }) => deliveries.map((one) => Object.assign(one, { method: 'PUT' })),
  'EVT-3': ({ deliveries }) => deliveries.map((one) => Object.assign(one, { tls: false })),
  'EVT-4': dropDeliveries((one) => kindOf(one) === 'order.created'),
  'EVT-5': dropDeliveries((one) => kindOf(one) === 'order.status_changed'),
  'EVT-6': ({ deliveries }) => {
    for (const { json } of deliveries) {
      const data = eventData({ json });
      Object.assign(data, { order: data.orderId, orderId: 1 });
    }
  },
  'EVT-8': inEvents('status', 'confirmed'),
  'EVT-16': dropDeliveries(({ hook }) => hook === 'status-202'),
  'RTY-6': (facts) => {
    for (const hook of ['status-429', 'hang']) copyLast(facts, hook);
  },
  'RTY-7': (facts) => {
    const status = 'fulfilling';
    const data = { orderId: findOrder(facts, 'retried')?.id, previousStatus: status, status };
    copyLast(facts, 'ok-seller', { json: { event: 'order.status_changed', data } });
  },
  'RTY-8': (facts) => hours(facts, 0, 12, 25),
  'RTY-9': (facts) => hours(facts, 0, 1, 2),
};

const verdicts = (facts: Facts, id: string) =>
  find(coreChecks, (check) => check.id === id)
    .judge(facts)
    .map(({ verdict }) => verdict);

test('the recorded run of a conforming service fails no check', () => {
  const failed = coreChecks.filter(
    ({ id, observes }) => observes !== 'a day' && verdicts(recorded, id).includes('fail'),
  );
  expect(failed.map(({ id }) => id)).toEqual([]);
});

test.each(Object.entries(failing))('%s fails for facts that break it', (id, spoil) => {
  const facts = copy();
  spoil(facts);
  expect(verdicts(facts, id)).toContain('fail');
});

test('every core check fails for a fault or for such facts; VIS-5 is advice', () => {
  const byFaults = Object.values(faults).flatMap(({ check, also }) => [check, ...also]);
  const covered = new Set([...byFaults, ...Object.keys(failing)]);
  expect(coreChecks.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual(['VIS-5']);
  const facts = copy();
  withEffect('VIS-5')(facts);
  expect(verdicts(facts, 'VIS-5')).toEqual(['advice']);
});

test.each<[id: string, what: string, spoil: Spoil]>([
  [
    'AUTH-1',
    'an endpoint that was not asked',
    (facts) => {
      facts.probes = facts.probes.filter(({ call }) => call.operation !== 'registerWebhook');
    },
  ],
  ['AUTH-5', 'an error of the server', (facts) => setStatus(changeOf(facts, 'main').call, 503)],
  [
    'VIS-3',
    'a stranger who is an operator',
    (facts) => {
      facts.profile.stranger = 'operator';
      for (const call of facts.calls)
        if (call.operation === 'listNotifications') call.caller = 'stranger';
    },
  ],
  [
    'GET-1',
    'a limit of requests',
    ({ calls }) => {
      for (const call of calls) if (call.operation === 'getOrder') setStatus(call, 429);
    },
  ],
  [
    'WHK-1',
    'a limit of requests',
    ({ webhooks }) => {
      setStatus(find(webhooks, () => true).call, 429);
    },
  ],
  [
    'EVT-15',
    'an end before the first retry was due',
    ({ retries }) => {
      if (retries) retries.until = retries.from;
    },
  ],
  [
    'RTY-1',
    'an end before the first retry was due',
    (facts) => {
      const [first] = attemptsAt(facts, 'close');
      dropDeliveries((one) => one.hook === 'close' && one !== first)(facts);
      if (facts.retries) facts.retries.until = first?.at ?? 0;
    },
  ],
  [
    'SIG-3',
    'a secret that was not found',
    ({ webhooks }) => {
      for (const webhook of webhooks) webhook.secret = null;
    },
  ],
])('%s is inconclusive for %s', (id, _, spoil) => {
  const facts = copy();
  spoil(facts);
  expect(verdicts(facts, id)).toContain('inconclusive');
  expect(verdicts(facts, id)).not.toContain('fail');
});

test.each<[id: string, what: string, spoil: Spoil]>([
  [
    'EVT-12',
    'a change that was stored before an error of the server',
    (facts) => setStatus(find(facts.changes, ({ to }) => to === 'completed').call, 503),
  ],
  [
    'EVT-15',
    'two orders whose order.created has the same bytes',
    (facts) => {
      for (const one of attempts(facts, 'created-only')) one.body = Buffer.from('{}');
    },
  ],
  [
    'RTY-5',
    'waits that a busy process has made longer, turn by turn',
    (facts) => {
      for (const hook of ['status-500', 'status-404', 'status-302', 'close']) {
        const all = attemptsAt(facts, hook);
        for (const [index, after] of [0, 340, 930, 1340].entries())
          Object.assign(all[index] ?? {}, { at: at500(facts) + after });
      }
      facts.calls = [];
      const ends = Array.from({ length: 40 }, (_, index) => at500(facts) + 25 * index);
      const busy = { milliseconds: 5, turns: 3, active: 24 };
      facts.stalls = ends.map((endedAt) => ({ endedAt, ...busy }));
    },
  ],
  [
    'RTY-8',
    'a service whose clock is an hour behind',
    (facts) => {
      hours(facts, 0, 12, 23.9);
      for (const { json } of attempts(facts, 'status-500'))
        Object.assign(json as Json, {
          createdAt: new Date(at500(facts) - 3_600_000).toISOString(),
        });
      for (const { response, endedAt } of facts.calls) {
        const date = new Date(endedAt - 3_600_000).toUTCString();
        if (response) response.headers = [['Date', date]];
      }
    },
  ],
  ['RTY-9', 'waits that grow threefold without a limit', (facts) => hours(facts, 0, 0.3, 2.7, 10)],
])('%s does not fail for %s', (id, _, spoil) => {
  const facts = copy();
  spoil(facts);
  expect(verdicts(facts, id)).not.toContain('fail');
});

test('a secret under an unknown name is in no evidence', () => {
  const facts = copy();
  const [webhook] = facts.webhooks;
  if (!webhook) throw new Error('No webhook was recorded.');
  const signing_key = 'f00dfeedf00dfeed';
  webhook.secret = null;
  webhook.call.json = { data: { id: webhook.id, url: webhook.url, signing_key } };
  const text = createRedactorFor(facts).text(JSON.stringify(webhook.call.json));
  expect(text).not.toContain(signing_key);
  expect(text).toContain(webhook.url);
});

/** The verdicts of a whole run with some facts. */
function judgeAll(facts: Facts): Map<string, string> {
  const redactor = createRedactorFor(facts);
  const results = judge(allChecks, facts, {}, createExplain(facts, redactor), redactor);
  return new Map(results.map(({ id, verdict }) => [id, verdict]));
}

test('extensions that were checked before the run was interrupted are judged', () => {
  const facts = copy();
  facts.extensions.set('IDM-1', [{ verdict: 'pass', reason: '', shown: {} }]);
  const all = judgeAll(facts);
  expect([all.get('IDM-1'), all.get('IDM-2')]).toEqual(['pass', 'not run']);
});

test('what follows from a waived failure is waived', () => {
  const facts = copy();
  for (const phase of ['start', 'orders', 'events', 'notifications', 'end'] as const)
    facts.finished.add(phase);
  facts.deliveries = facts.deliveries.flatMap((one) => [one, { ...one }]);
  for (const hook of ['status-429', 'hang']) copyLast(facts, hook);
  const before = judgeAll(facts);
  expect([before.get('EVT-14'), before.get('RTY-6')]).toEqual(['fail', 'blocked']);
  facts.profile.waivers.push({ check: 'EVT-14', reason: 'a test' });
  const after = judgeAll(facts);
  expect([after.get('EVT-14'), after.get('RTY-6')]).toEqual(['waived', 'waived']);
});

test('the evidence of a delivery has no key in its target, and the timeline has none', () => {
  const facts = copy();
  const { id = '' } = findOrder(facts, 'retried') ?? {};
  const [delivery] = attemptsAt(facts, 'status-500');
  const { buyer } = facts.profile.keys;
  if (!delivery) throw new Error('No delivery was recorded.');
  delivery.target = `/hook?key=${buyer}`;
  const call = changeOf(facts, 'retried').call;
  call.body = Buffer.from(JSON.stringify({ key: buyer }));
  const explain = createExplain(facts, createRedactorFor(facts));
  const shown = { calls: [call], deliveries: [delivery], orderId: id };
  const text = JSON.stringify(explain({ verdict: 'fail', reason: '', shown }));
  expect(text).not.toContain(buyer);
  expect(text).toContain('/hook?key=$KEY_BUYER');
});
