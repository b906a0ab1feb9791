import { parties } from '../../profile/profile';
import {
  changeNotifications,
  fence,
  firstChange,
  hasMovedItself,
  type Marking,
  notificationsSeen,
  statuses,
  watchedChanges,
} from '../../run/facts';
import { mayBeCut } from '../../service/call';
import {
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
      ? [inconclusive(`${reason} It may be on another page.`, call, ...lists, order)]
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
    const ours = new Set<unknown>(facts.orders.map(({ id }) => id));
    return notificationsSeen(facts)
      .filter(
        ({ record, call }) => ours.has(record.orderId) && !(mark && call.endedAt > mark.sentAt),
      )
      .map(({ record, call }) =>
        expect(record.read !== true, `${record.id} is read, and nobody has marked it.`, call),
      );
  },
  'NTF-10': judgeMarkings(true, ({ id, call, before, after }) => {
    if (before.get(id) === true) return [];
    return after.has(id)
      ? [expect(after.get(id) === true, `The notification ${id} is still unread.`, call)]
      : [inconclusive('The notification is no longer in the list.')];
  }),
  'NTF-11': judgeMarkings(true, ({ id, call, before, after }) => {
    const others = [...before].filter(([one]) => one !== id && after.has(one));
    const other = others.find(([one, read]) => after.get(one) !== read);
    const reason = `The notification ${other?.[0]} has changed, although ${id} was marked.`;
    return others.length === 0 ? [] : [expect(!other, reason, call)];
  }),
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
