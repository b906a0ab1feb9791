import { parties } from '../../profile/profile';
import {
  changeNotifications,
  fence,
  firstChange,
  hasMovedItself,
  idsOfOrders,
  type Marking,
  notificationsSeen,
  statuses,
  watchedChanges,
} from '../../run/facts';
import { mayBeCut } from '../../service/call';
import {
  advice,
  expect,
  fail,
  inconclusive,
  type Judge,
  type Judgement,
  judgeProbes,
  movedItself,
  pass,
  show,
} from '../check';

/** Judges the requests to mark a notification with `read` as given. */
const judgeMarkings =
  (read: boolean, judge: (marking: Marking) => Judgement[]): Judge =>
  ({ markings }) =>
    markings.filter(({ body }) => body.read === read).flatMap(judge);

export const judgeNotifications = {
  'NTF-1': (facts) => {
    const change = firstChange(facts);
    if (!change) return [];
    const { order, call } = change;
    if (changeNotifications(facts, order.id).length > 0) return [pass];
    const all = facts.calls.filter(({ operation }) => operation === 'listNotifications');
    const lists = parties.map((party) => all.findLast(({ caller }) => caller === party));
    const reason = `No notification of type order_status_changed is about ${order.id}.`;
    return lists.some((list) => list && mayBeCut(list))
      ? [
          inconclusive(
            `${reason} It may be on another page: use accounts with fewer notifications.`,
            call,
            ...lists,
            order,
          ),
        ]
      : [fail(reason, call, ...lists, order)];
  },
  'NTF-8': (facts) =>
    watchedChanges(facts).flatMap(({ order, to }) =>
      changeNotifications(facts, order.id).map(({ record, call }) => {
        const message = String(record.message);
        const has = (status: string) => message.toLowerCase().includes(status);
        const named = `in the message ${show(message)}`;
        if (!message.includes(order.id)) return fail(`The order is not ${named}.`, call, order);
        if (has(to) || hasMovedItself(facts, order)) return pass;
        return statuses.some(has)
          ? fail(`The new status ${to} is not ${named}, another one is.`, call, order)
          : inconclusive(`No status in English is ${named}.`, call, order);
      }),
    ),
  'NTF-9': (facts) => {
    const mark = facts.calls.find(({ operation }) => operation === 'readNotification');
    const ours = idsOfOrders(facts);
    const early = notificationsSeen(facts).filter(
      ({ record, call }) =>
        ours.has(String(record.orderId)) && !(mark && call.endedAt > mark.sentAt),
    );
    return parties.flatMap((account) => {
      const own = early.filter(({ call }) => call.caller === account).toReversed();
      // As each was when it was seen first.
      const firsts = [...new Map(own.map((one) => [one.record.id, one])).values()];
      const areAllRead = firsts.length > 1 && firsts.every(({ record }) => record.read === true);
      return firsts.map(({ record, call }) => {
        if (record.read !== true) return pass;
        const reason = `${record.id} is read, and the kit has not marked it.`;
        return areAllRead
          ? fail(reason, call)
          : advice(`${reason} Another client of the ${account} may have.`, call);
      });
    });
  },
  'NTF-10': judgeMarkings(true, ({ id, call, before, after, list }) => {
    if (before.get(id) === true) return [];
    const waited = ((list.endedAt - call.endedAt) / 1000).toFixed(1);
    const reason = `The notification ${id} is still unread ${waited} s later.`;
    return after.has(id)
      ? [expect(after.get(id) === true, reason, call, list)]
      : [inconclusive('The notification is no longer in the list.')];
  }),
  'NTF-11': (facts) => {
    const judged = judgeMarkings(true, ({ id, call, before, after }) => {
      const others = [...before].filter(([one]) => one !== id && after.has(one));
      const other = others.find(([one, read]) => after.get(one) !== read);
      const reason = `The notification ${other?.[0]} has changed, although ${id} was marked.`;
      if (before.get(id) === true || others.length === 0) return [];
      return [expect(!other, reason, call)];
    })(facts);
    // Another client may have marked one at the same time as the kit.
    return judged.some(({ verdict }) => verdict === 'pass') ? [pass] : judged;
  },
  'NTF-12': judgeProbes('NTF-12', 'pass'),
  'NTF-13': ({ markings }) =>
    markings
      .filter(({ id, before }) => before.get(id) === true)
      .map(({ id, call, after }) =>
        expect(after.get(id) !== false, `The notification ${id} is unread again.`, call),
      ),
  'NTF-14': (facts) => {
    const change = fence(facts);
    if (!change) return [];
    if (hasMovedItself(facts, change.order)) return [movedItself];
    return parties.map((account) => {
      const seen = changeNotifications(facts, change.order.id, account);
      const reason = `The ${account} has ${seen.length} notifications about one accepted change.`;
      return expect(seen.length <= 1, reason, seen[0]?.call, change.order);
    });
  },
} satisfies Record<string, Judge>;
