import { isDeepStrictEqual } from 'node:util';
import { parties } from '../../profile/profile';
import type { Delivery } from '../../receiver/receiver';
import {
  attemptsAt,
  changeNotifications,
  changesDelivered,
  deliveriesTo,
  eventData,
  type Facts,
  findOrder,
  hasMovedItself,
  isAbout,
  isChanged,
  isPrompt,
  kindOf,
  latenessBetween,
  stalledBetween,
  withoutCopies,
} from '../../run/facts';
import {
  attemptsUntilSuccess,
  type FailingHook,
  failing,
  patience,
  silenceAfterSuccess,
  succeeding,
} from '../../run/retries';
import { isAccepted, isObject, mayBeCut, measureClockOffset, outcome } from '../../service/call';
import {
  advice,
  expect,
  fail,
  inconclusive,
  type Judge,
  type Judgement,
  movedItself,
  pass,
} from '../check';
import { parseTimestamp } from '../timestamp';

const hour = 3_600_000;

/** The webhooks whose deliveries fail again and again. */
const persistent = ['status-500', 'status-404', 'status-302', 'close'] as const;
const failingHooks = Object.keys(failing) as FailingHook[];

/** The waits between the attempts of a delivery, in milliseconds. */
const listWaits = (attempts: readonly Delivery[]) =>
  attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? at));

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;

/**
 * Whether the third wait is longer than the first one, or the second one, if a busy machine has made the first one longer.
 *
 * @param late how much longer such a machine has made the third wait, in milliseconds
 */
function grows(waits: readonly number[][], late: number): boolean {
  const sum = (index: number) => waits.reduce((total, one) => total + (one[index] ?? 0), 0);
  return sum(2) - late * waits.length > 1.2 * Math.min(sum(0), sum(1));
}

/** The orders whose changes were all accepted, so that each of them is an event and a notification. */
const accountedOrders = ({ orders, changes }: Facts) =>
  orders.filter((order) => {
    const own = changes.filter((change) => change.order === order);
    return ['watched', 'main'].includes(order.name) && own.length > 0 && own.every(isChanged);
  });

/** Whether the latest list of an account's notifications may be one page of several. */
function isCut({ calls }: Facts, account: string): boolean {
  const list = calls.findLast(
    ({ operation, caller }) => operation === 'listNotifications' && caller === account,
  );
  return list !== undefined && mayBeCut(list);
}

const onAnotherPage = inconclusive(
  'A notification may be on another page: use accounts with fewer notifications.',
);

/** The attempts of the delivery that fails for a day, and when its event was created by the clock of the kit. */
function findDay(facts: Facts) {
  const attempts = attemptsAt(facts, 'status-500');
  const [first, last] = [attempts[0], attempts.at(-1)];
  const createdAt = isObject(first?.json) ? parseTimestamp(first.json.createdAt) : null;
  if (!first || !last || createdAt === null) return null;
  return { attempts, first, last, created: createdAt - measureClockOffset(facts.calls) };
}

export const judgeRetries = {
  'RTY-1': (facts) =>
    failingHooks.flatMap((hook) => {
      const [first, second] = attemptsAt(facts, hook);
      const webhook = facts.webhooks.find(({ name }) => name === hook);
      if (webhook && !isAccepted(webhook.call)) {
        const reason = `Not tried, because its webhook was rejected (${outcome(webhook.call)}): ${failing[hook]}.`;
        return advice(reason, webhook.call);
      }
      if (!first) return [];
      if (second) return pass;
      const waited = (facts.retries?.until ?? first.at) - first.at;
      const reason = `A delivery was not retried within ${seconds(waited)}; the receiver's behaviour: ${failing[hook]}.`;
      const isDue = facts.profile.retries !== undefined && waited >= patience(facts, hook, 1);
      return isDue || facts.finished.has('day')
        ? fail(reason, first, findOrder(facts, 'retried'))
        : inconclusive(`${reason} Declare retries in the profile, or use --long.`, first);
    }),
  'RTY-2': (facts) => {
    if (attemptsAt(facts, 'status-302').length === 0) return [];
    const trapped = facts.deliveries.find(({ hook }) => hook === 'trap');
    return [expect(!trapped, 'A request came to the URL of a redirect.', trapped)];
  },
  'RTY-3': (facts) =>
    persistent.flatMap((hook) => {
      const [first, ...more] = attemptsAt(facts, hook);
      const content = (one: Delivery | undefined) =>
        isObject(one?.json) && [kindOf(one), one.json.createdAt, one.json.data];
      return more.map((one) => {
        if (!isDeepStrictEqual(content(one), content(first))) {
          return fail(
            'An attempt has another event, createdAt or data than the first.',
            first,
            one,
          );
        }
        const isSame = first?.body.equals(one.body);
        return isSame ? pass : advice('An attempt has other bytes than the first.', first, one);
      });
    }),
  'RTY-4': (facts) => {
    const order = findOrder(facts, 'retried and changed');
    const changes = facts.changes.filter(
      (one) => one.order === order && isChanged(one) && one.before?.status !== one.to,
    );
    const [first] = changes;
    if (!order || !first || changes.length < 2) return [];
    const seen = deliveriesTo(facts, 'status-404').filter((one) => isAbout(one, order.id));
    const ofFirst = seen.filter((one) => eventData(one).status === first.to);
    if (ofFirst.length >= 2) return [pass];
    return ofFirst.length === 1 && seen.length >= 3
      ? [fail(`The change to ${first.to} came once; the retries say another one.`, ...seen, order)]
      : [inconclusive('The first change was not retried while it was observed.', ...seen, order)];
  },
  'RTY-5': (facts) => {
    const observed = persistent.map((hook) => [hook, attemptsAt(facts, hook)] as const);
    for (const [hook, attempts] of observed) {
      const { length } = attempts;
      const waited = (facts.retries?.until ?? 0) - (attempts[0]?.at ?? 0);
      // RTY-1 judges the first retry.
      const isShort = length > 1 && length < attemptsUntilSuccess[hook];
      if (isShort && facts.profile.retries && waited > patience(facts, hook, length)) {
        const reason = `${length} attempts came, and no further one within ${seconds(waited)} of the first.`;
        return [fail(reason, ...attempts, findOrder(facts, 'retried'))];
      }
    }
    const all = observed.map(([, attempts]) => attempts).filter(({ length }) => length > 3);
    const waits = all.map(listWaits);
    if (waits.length < 2) return [inconclusive('Fewer than two deliveries had four attempts.')];
    const shortest = Math.min(...waits.map(([first = 0]) => first));
    const times = (index: number) => all.map((attempts) => attempts[index]?.at ?? 0);
    const within = (measure: typeof stalledBetween, from: number, until: number) =>
      measure(facts.stalls, Math.min(...times(from)), Math.max(...times(until)));
    const late = [0, 1, 2].map((wait) => within(latenessBetween, wait, wait + 1));
    if (grows(waits, within(stalledBetween, 2, 3) + (late[2] ?? 0))) return [pass];
    const [begin, end] = [Math.min(...times(0)), Math.max(...times(3))];
    // A request of the kit takes as long as one of the service, about.
    const durations = facts.calls
      .filter(({ sentAt, endedAt }) => endedAt > begin && sentAt < end)
      .map(({ sentAt, endedAt }) => endedAt - sentAt);
    if (Math.max(within(stalledBetween, 0, 3), ...late, ...durations) > shortest / 4) {
      return [inconclusive('This machine was too busy to measure the waits.')];
    }
    const texts = waits.map((one) => one.slice(0, 3).map(seconds).join(', '));
    const reason = `The waits do not grow: ${texts.join('; ')}.`;
    const isJudged = facts.profile.retries !== undefined || shortest >= 1000;
    const give = isJudged && !waits.some((one) => grows([one], 0)) ? fail : inconclusive;
    return [give(reason, ...(all[0] ?? []), findOrder(facts, 'retried'))];
  },
  'RTY-6': (facts) => {
    const judged = succeeding.flatMap((hook) => {
      const attempts = attemptsAt(facts, hook);
      const at = attempts.findIndex(({ behaviour }) => behaviour === 204);
      const success = attempts[at];
      return success ? [{ attempts, success, next: attempts[at + 1] }] : [];
    });
    const again = judged.filter(({ next }) => next !== undefined);
    if (!again.every(({ success }) => isPrompt(facts, success))) {
      return [inconclusive('This machine was too busy to respond to the second attempt in time.')];
    }
    if (again.length > 0) {
      const reason = `A further attempt followed a 204, at ${again.length} of ${judged.length} webhooks.`;
      // A service may deliver something twice now and then.
      const give = again.length < judged.length ? advice : again.length > 1 ? fail : inconclusive;
      return [give(reason, ...(again[0]?.attempts ?? []), findOrder(facts, 'retried'))];
    }
    const needed = silenceAfterSuccess(facts);
    return judged.map(({ success }) =>
      (facts.retries?.until ?? 0) - success.at >= needed
        ? pass
        : inconclusive(`It was observed for less than ${seconds(needed)} after the 204.`),
    );
  },
  'RTY-7': (facts) => {
    const order = findOrder(facts, 'retried');
    if (order && hasMovedItself(facts, order)) return [movedItself];
    if (!order || !failingHooks.some((hook) => attemptsAt(facts, hook).length > 1)) return [];
    return parties.flatMap((account) => {
      const notified = changeNotifications(facts, order.id, account).length;
      const events = withoutCopies(changesDelivered(facts, `ok-${account}`, order.id));
      const text = `of one change whose deliveries were retried (${account}).`;
      return [
        expect(notified <= 1, `There are ${notified} notifications ${text}`, order),
        expect(events.length <= 1, `There are ${events.length} events ${text}`, ...events, order),
      ];
    });
  },
  'RTY-8': (facts) => {
    const day = findDay(facts);
    if (!day) return [];
    const after = day.last.at - day.created;
    const reason = `The last attempt came ${(after / hour).toFixed(2)} hours after the event.`;
    return [expect(after <= 24 * hour + 300_000, reason, day.first, day.last)];
  },
  'RTY-9': (facts) => {
    const day = findDay(facts);
    if (!day) return [];
    const { attempts, created, first, last } = day;
    const after = ((last.at - created) / hour).toFixed(2);
    // With waits that grow without a limit, the next attempt may be due after the 24 hours.
    const [before = 1, wait = 0] = listWaits(attempts).slice(-2);
    const next = last.at + wait * Math.max(1, wait / before);
    const isLate =
      attempts.some(({ at }) => at - created >= 12 * hour && at - created <= 24.1 * hour) ||
      next > created + 24 * hour;
    const reason = `The service gave up after ${attempts.length} attempts, ${after} hours after the event.`;
    return [expect(isLate, reason, first, last)];
  },
  'EQV-1': (facts) => {
    const orders = accountedOrders(facts);
    const isNotified = orders.some(({ id }) => changeNotifications(facts, id).length > 0);
    if (facts.observer === null || !isNotified) return [];
    return facts.webhooks
      .filter(
        ({ name, owner, call }) =>
          name === `ok-${owner}` && owner !== 'stranger' && isAccepted(call),
      )
      .flatMap(({ name, owner }) =>
        orders.map((order): Judgement => {
          const [event] = changesDelivered(facts, name, order.id);
          const [notification] = changeNotifications(facts, order.id, owner);
          if (event && !notification && isCut(facts, owner)) return onAnotherPage;
          const [one, other] = event ? ['event', 'notification'] : ['notification', 'event'];
          const reason = `The ${owner} has the ${one} of a change, and no ${other}.`;
          return expect(!event === !notification, reason, event, notification?.call, order);
        }),
      );
  },
  'EQV-3': (facts) =>
    accountedOrders(facts).flatMap((order) => {
      if (hasMovedItself(facts, order)) return [movedItself];
      const own = facts.changes.filter((change) => change.order === order);
      const count = own.filter(({ before, to }) => before?.status !== to).length;
      return parties.flatMap((account) => {
        const events = withoutCopies(changesDelivered(facts, `ok-${account}`, order.id)).length;
        const notified = changeNotifications(facts, order.id, account).length;
        const text = `for ${count} changes of an order (${account}).`;
        return [
          ...(events > 0 ? [expect(events === count, `${events} events ${text}`, order)] : []),
          ...(notified === 0
            ? []
            : notified < count && isCut(facts, account)
              ? [onAnotherPage]
              : [expect(notified === count, `${notified} notifications ${text}`, order)]),
        ];
      });
    }),
} satisfies Record<string, Judge>;
