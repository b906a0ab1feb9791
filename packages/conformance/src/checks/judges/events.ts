import { type Party, parties } from '../../profile/profile';
import type { Delivery } from '../../receiver/receiver';
import {
  allDeliveries,
  attemptsAt,
  type Change,
  changesDelivered,
  deliveriesTo,
  eventData,
  eventKinds,
  type Facts,
  fence,
  firstChange,
  hasMovedBefore,
  hasMovedItself,
  isAbout,
  isChanged,
  isPrompt,
  kindOf,
  watchedChanges,
  withoutCopies,
} from '../../run/facts';
import { isAccepted, isObject, isUnclear, outcome } from '../../service/call';
import {
  advice,
  expect,
  fail,
  inconclusive,
  type Judge,
  type Judgement,
  movedItself,
  notApplicable,
  pass,
  show,
} from '../check';
import { isTimestamp } from '../timestamp';

/** Whether a status was requested that the order had already. */
const isRepetition = ({ before, to }: Change) => before?.status === to;

const observerHook = ({ observer }: Facts) => `ok-${observer}`;

/** The deliveries of an order's changes to the first webhook of the observer. */
const observed = (facts: Facts, orderId: string) =>
  changesDelivered(facts, observerHook(facts), orderId);

/** Whether a webhook of a party was registered. */
const hasWebhook = ({ webhooks }: Facts) => webhooks.some(({ call }) => isAccepted(call));

/** Judges every delivery. */
const judgeDeliveries =
  (judge: (delivery: Delivery, facts: Facts) => Judgement): Judge =>
  (facts) =>
    allDeliveries(facts).map((delivery) => judge(delivery, facts));

/** Judges the first delivery of each watched change: that of the requested status, or of any. */
const judgeWatched =
  (judge: (change: Change, delivery: Delivery, facts: Facts) => Judgement): Judge =>
  (facts) =>
    watchedChanges(facts).flatMap((change) => {
      const all = observed(facts, change.order.id);
      const delivery = all.find((one) => eventData(one).status === change.to) ?? all[0];
      return delivery ? [judge(change, delivery, facts)] : [];
    });

/** Judges a field of the data of watched changes. */
const judgeData = (name: string, read: (change: Change, facts: Facts) => unknown): Judge =>
  judgeWatched((change, delivery, facts) => {
    const found = eventData(delivery)[name];
    const expected = read(change, facts);
    // What an order lacks is ORD-10.
    if (expected === undefined) return inconclusive('The order has no status.');
    const reason = `data.${name} is ${show(found)}, not ${show(expected)}.`;
    return expect(found === expected, reason, change.call, delivery, change.order);
  });

/** The deliveries to a webhook that got their 2xx promptly, and those of them that came once more: with the same bytes, or for the same new order. */
function copies(
  facts: Facts,
  hook: string,
  kind?: unknown,
): { events: number; doubled: Delivery[][] } {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveriesTo(facts, hook)) {
    if (kind !== undefined && kindOf(delivery) !== kind) continue;
    const isNew = kindOf(delivery) === 'order.created';
    const order = isNew ? facts.orders.find(({ id }) => isAbout(delivery, id)) : undefined;
    const key = order?.id ?? delivery.body.toString('base64');
    groups.set(key, [...(groups.get(key) ?? []), delivery]);
  }
  const judged = [...groups.values()].filter((group) => group.every((one) => isPrompt(facts, one)));
  // The data of order.created is free: it may be the same for two orders.
  const webhook = facts.webhooks.find(({ name }) => name === hook);
  const orders = facts.orders.filter(({ created }) => created.sentAt > (webhook?.call.sentAt ?? 0));
  const isOncePerOrder =
    webhook?.events.length === 1 &&
    webhook.events[0] === 'order.created' &&
    deliveriesTo(facts, hook).length <= orders.length;
  const doubled = isOncePerOrder ? [] : judged.filter(({ length }) => length > 1);
  return { events: judged.length, doubled };
}

/** Judges whether everything that a webhook acknowledges comes again. */
function expectNoCopies(facts: Facts, hook: string, status: number): Judgement[] {
  const { events, doubled } = copies(facts, hook);
  const reason = `${doubled.length} of ${events} deliveries came again after ${status}.`;
  const isRight = doubled.length < events || events < 2;
  return events === 0 ? [] : [expect(isRight, reason, ...(doubled[0] ?? []).slice(0, 2))];
}

/** Judges, for each type of event, whether all that was acknowledged comes again. */
function judgeCopies(facts: Facts): Judgement[] {
  const hook = observerHook(facts);
  const kinds = [...new Set(deliveriesTo(facts, hook).map(kindOf))];
  const judged = kinds.flatMap((kind) => {
    const { events, doubled } = copies(facts, hook, kind);
    if (doubled.length === 0) return events === 0 ? [] : [pass];
    const reason = `${doubled.length} of ${events} deliveries of ${show(kind)} came again after a 2xx.`;
    const give = events >= 3 && doubled.length === events ? fail : advice;
    return [give(reason, ...(doubled[0] ?? []).slice(0, 2))];
  });
  return judged.length > 0 || kinds.length === 0
    ? judged
    : [inconclusive('This machine was too busy to respond in time.')];
}

/** What is wrong with the envelope of a payload. */
function envelopeMistakes(json: unknown): string[] {
  if (!isObject(json)) return ['it is no JSON object'];
  const mistakes: string[] = [];
  if (json.event === undefined && json.type !== undefined) {
    mistakes.push('it has `type` instead of `event`, as the sample code of receivers does');
  } else if (!eventKinds.some((kind) => kind === json.event)) {
    mistakes.push(`event is ${show(json.event)}`);
  }
  if (!isTimestamp(json.createdAt)) mistakes.push(`createdAt is ${show(json.createdAt)}`);
  if (!isObject(json.data)) mistakes.push(`data is ${show(json.data)}`);
  return mistakes;
}

export const judgeEvents = {
  'WHK-1': ({ webhooks }) =>
    webhooks
      // A service may limit how many further ones an account has.
      .filter(({ name, owner }) => name === `ok-${owner}` && owner !== 'stranger')
      .map(({ owner, call }) => {
        const reason = `POST /v1/webhooks (${owner}): ${outcome(call)}.`;
        return isUnclear(call)
          ? inconclusive(reason, call)
          : expect(isAccepted(call), reason, call);
      }),
  'EVT-1': judgeDeliveries((delivery, { webhooks }) => {
    const { method, target, hook } = delivery;
    const url = webhooks.find(({ name }) => name === hook)?.url ?? '';
    const reason = `A delivery is ${method} ${target}, registered was ${url}.`;
    return expect(method === 'POST' && url.endsWith(target), reason, delivery);
  }),
  'EVT-2': judgeDeliveries((delivery) => {
    const mistakes = envelopeMistakes(delivery.json);
    if (delivery.body.indexOf('\ufeff') === 0) mistakes.push('a byte order mark precedes the JSON');
    return expect(mistakes.length === 0, `A payload is wrong: ${mistakes.join('; ')}.`, delivery);
  }),
  'EVT-3': judgeDeliveries((delivery, { profile: { receiver } }) => {
    const isPublic = 'publicUrl' in receiver && receiver.publicUrl.startsWith('https:');
    return expect(delivery.tls || isPublic, 'A delivery came without TLS.', delivery);
  }),
  'EVT-4': (facts) => {
    const [first] = facts.orders;
    if (!first || !hasWebhook(facts)) return [];
    const isThere = ({ name, owner }: Facts['webhooks'][number]) =>
      owner !== 'stranger' &&
      deliveriesTo(facts, name).some((one) => kindOf(one) === 'order.created');
    const reason = `${facts.orders.length} orders were created, and no webhook got order.created.`;
    return [expect(facts.webhooks.some(isThere), reason, first.created, first)];
  },
  'EVT-5': (facts) => {
    const change = firstChange(facts);
    if (!change || !hasWebhook(facts)) return [];
    const strays = facts.deliveries.filter(({ hook }) => hook === null).length;
    const hint =
      strays > 0
        ? ` ${strays} requests came to paths that were not registered.`
        : facts.refusals.length > 0
          ? ` Connections ended without a request (${facts.refusals[0]}): let the service trust caFile.`
          : '';
    return [change, ...watchedChanges(facts)].map(({ order, to, call }) => {
      const reason = `The order ${order.id} changed to ${to}, and no webhook got the event.${hint}`;
      const isThere = (party: Party) => changesDelivered(facts, `ok-${party}`, order.id).length > 0;
      return expect(parties.some(isThere), reason, call, order);
    });
  },
  'EVT-6': judgeData('orderId', ({ order }) => order.id),
  'EVT-7': judgeData('previousStatus', ({ before, order, to }, facts) => {
    // A service may move the order between the read and the change.
    const moved = observed(facts, order.id)
      .map(eventData)
      .filter(({ previousStatus }) => previousStatus === before?.status)
      .find(({ previousStatus, status }) => status !== to && status !== previousStatus);
    return moved?.status ?? before?.status;
  }),
  'EVT-8': judgeData('status', ({ to }) => to),
  'EVT-9': (facts) => {
    const rejected = facts.changes.filter((change) => !isChanged(change) && isRepetition(change));
    return allDeliveries(facts).flatMap((delivery) => {
      const { status, previousStatus, orderId } = eventData(delivery);
      // Events of rejected requests are found by EVT-12.
      const isRejected = rejected.some((one) => one.order.id === orderId && one.to === status);
      if (kindOf(delivery) !== 'order.status_changed' || isRejected) return [];
      const reason = `previousStatus and status are both ${show(status)}.`;
      return expect(status === undefined || status !== previousStatus, reason, delivery);
    });
  },
  'EVT-10': (facts) => {
    const order = firstChange(facts)?.order;
    const real = facts.changes.filter(
      (change) => change.order === order && isChanged(change) && !isRepetition(change),
    );
    if (!order || real.length < 2) return [];
    if (real[0] && hasMovedBefore(facts, real[0])) return [movedItself];
    const all = withoutCopies(observed(facts, order.id));
    const steps = all
      .map(eventData)
      .filter(({ status, previousStatus }) => status !== previousStatus);
    const text = steps
      .map(({ previousStatus, status }) => `${previousStatus} → ${status}`)
      .join(', ');
    let now = real[0]?.before?.status;
    const left = [...steps];
    while (left.length > 0) {
      const index = left.findIndex(({ previousStatus }) => previousStatus === now);
      if (index < 0) break;
      now = left.splice(index, 1)[0]?.status;
    }
    const isPath = left.length === 0 && now === real.at(-1)?.to && all.length >= real.length;
    const reason = `${real.length} changes to ${real.map(({ to }) => to).join(', ')}; the events form no such path: ${text}.`;
    return [expect(isPath, reason, ...all, order)];
  },
  'EVT-11': (facts) => {
    const webhook = facts.webhooks.find(({ name }) => name === 'created-only');
    if (!webhook || !isAccepted(webhook.call)) return [];
    const others = deliveriesTo(facts, webhook.name).filter(
      (one) => kindOf(one) !== 'order.created',
    );
    const kind = others[0] && kindOf(others[0]);
    const reason = `A webhook for order.created got ${show(kind)}.`;
    return [expect(others.length === 0, reason, webhook.call, others[0])];
  },
  'EVT-12': (facts) => {
    const change = fence(facts);
    if (!change || facts.observer === null) return [];
    const { order, call } = change;
    const all = observed(facts, order.id);
    const early = all.find(({ at }) => at < call.sentAt);
    const created = new Set(all.map(({ json }) => isObject(json) && json.createdAt));
    const count = `One change was accepted, and ${created.size} events came.`;
    // Every status that an event says must have been accepted, as often as it comes.
    const unexplained = facts.changes
      .filter((one) => !isChanged(one) && !isUnclear(one.call) && !hasMovedItself(facts, one.order))
      .flatMap(({ order: { id }, to }) => {
        const events = withoutCopies(observed(facts, id)).filter(
          (one) => eventData(one).status === to,
        );
        const isSame = (one: Change) => one.order.id === id && one.to === to && isChanged(one);
        return events.slice(facts.changes.filter(isSame).length);
      });
    return [
      hasMovedBefore(facts, change)
        ? movedItself
        : expect(!early, 'An event came while every change was rejected.', early, order),
      ...(hasMovedItself(facts, order) ? [] : [expect(created.size <= 1, count, ...all, order)]),
      ...unexplained.map((one) =>
        fail(`The change to ${eventData(one).status} was rejected, and its event came.`, one),
      ),
    ];
  },
  'EVT-13': (facts) =>
    facts.statusReads.flatMap(({ order, delivery, status }) => {
      const change = watchedChanges(facts).find((one) => one.order === order);
      if (!change || status === undefined) return [];
      const { before, after, to, call } = change;
      const isOld = status === before?.status && after?.status === to && status !== to;
      const reason = `The event says ${to}, and the order was ${show(status)} when it was read.`;
      return expect(!isOld, reason, call, delivery, order);
    }),
  'EVT-14': judgeCopies,
  'EVT-15': (facts) => {
    const [plain] = expectNoCopies(facts, observerHook(facts), 200);
    if (plain === undefined) return [];
    if (judgeCopies(facts).some(({ verdict }) => verdict === 'fail')) {
      return [notApplicable('Everything comes again: see EVT-14.')];
    }
    const [first, second] = attemptsAt(facts, 'status-500');
    const last = Math.max(...watchedChanges(facts).map(({ call }) => call.endedAt));
    const observedFor = (facts.retries?.until ?? 0) - last;
    // Nothing can have come again before the service retries at all.
    if (!first || !second || observedFor < 1.2 * (second.at - first.at)) {
      return [inconclusive('It was not observed for as long as the service waits before a retry.')];
    }
    const others = { 'created-only': 201, 'status-202': 202, 'status-204': 204 };
    return [
      plain,
      ...Object.entries(others).flatMap(([hook, status]) => expectNoCopies(facts, hook, status)),
    ];
  },
  'EVT-16': judgeWatched(({ order }, delivery, facts) => {
    const second = facts.webhooks.find(({ name }) => name === 'status-202');
    if (!second || !isAccepted(second.call)) return notApplicable('There is no second webhook.');
    const isThere = changesDelivered(facts, second.name, order.id).length > 0;
    const reason = `Only one of two webhooks of the ${second.owner} got the event.`;
    return expect(isThere, reason, second.call, delivery, order);
  }),
  'EQV-2': (facts) => {
    const webhook = facts.webhooks.find(({ owner }) => owner === 'stranger');
    if (!webhook || facts.observer === null || facts.profile.stranger === 'operator') return [];
    if (!isAccepted(webhook.call)) return [notApplicable('The stranger cannot register one.')];
    const all = deliveriesTo(facts, webhook.name);
    const leaked = all.find((one) => facts.orders.some(({ id }) => isAbout(one, id)));
    return [expect(!leaked, "A stranger's webhook got an event of the run's orders.", leaked)];
  },
} satisfies Record<string, Judge>;
