import { type Facts, notificationsSeen, ordersSeen, type Seen, statuses } from '../../run/facts';
import {
  type Call,
  findHeader,
  isAccepted,
  isObject,
  type Operation,
  operations,
} from '../../service/call';
import { advice, expect, fail, type Judge, pass, show } from '../check';
import { expectedTimestamp, isTimestamp } from '../timestamp';

/** Their success responses may be empty: the specification does not show them. */
const mayBeEmpty: readonly (Operation | null)[] = [
  'updateOrder',
  'readNotification',
  'registerWebhook',
];

/** Only operations of the API are judged here; requests of extensions have none. */
const nameCall = ({ operation }: Call) => (operation === null ? '' : operations[operation]);

const hasBody = ({ response }: Call) => (response?.body.length ?? 0) > 0;

/** Judges each response to an accepted request that has a body, or needs one. */
const judgeBodies =
  (judge: (call: Call, title: string) => ReturnType<Judge>): Judge =>
  ({ calls }) =>
    calls
      .filter((call) => isAccepted(call) && (hasBody(call) || !mayBeEmpty.includes(call.operation)))
      .flatMap((call) => judge(call, `${nameCall(call)} (${call.caller})`));

/** A field, its test, and what it should be. */
type Field = [name: string, isRight: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '';
const prefixed = (prefix: string) => (value: unknown) =>
  isText(value) && value.startsWith(`${prefix}_`) && value.length > prefix.length + 1;
const isStatus = (value: unknown) => statuses.some((status) => status === value);
const isUser = prefixed('usr');

/** The nine fields of an order, ORD-1 to ORD-9. */
const orderFields: readonly Field[] = [
  ['id', prefixed('ord'), '"ord_" and an id'],
  ['status', isStatus, 'one of the five statuses'],
  ['buyerId', isUser, '"usr_" and an id'],
  ['sellerId', isUser, '"usr_" and an id'],
  ['agentId', (value) => value === null || isUser(value), '"usr_" and an id, or null'],
  ['listingId', prefixed('lst'), '"lst_" and an id'],
  ['quantity', Number.isInteger, 'an integer number'],
  ['createdAt', isTimestamp, expectedTimestamp],
  ['updatedAt', isTimestamp, expectedTimestamp],
];
export const orderFieldNames = orderFields.map(([name]) => name);

/** The fields of a notification, NTF-2 to NTF-7. */
const notificationFields: readonly Field[] = [
  ['id', prefixed('ntf'), '"ntf_" and an id'],
  ['type', isText, 'a text'],
  ['orderId', prefixed('ord'), '"ord_" and an id'],
  ['message', isText, 'a text for people'],
  ['read', (value) => typeof value === 'boolean', 'true or false'],
  ['createdAt', isTimestamp, expectedTimestamp],
];

const where = ({ call }: Seen) => `in the response to ${nameCall(call)}`;

const judgeField =
  (seen: (facts: Facts) => Seen[], [name, isRight, expected]: Field): Judge =>
  (facts) =>
    seen(facts).map((one) => {
      const value = one.record[name];
      const reason = `${name} is ${show(value)} ${where(one)}, not ${expected}.`;
      return expect(isRight(value), reason, one.call);
    });

/** The orders that have a field. That it is absent is ORD-10. */
const ordersWith = (name: string) => (facts: Facts) =>
  ordersSeen(facts).filter(({ record }) => Object.hasOwn(record, name));

/** The notifications about orders of the run: others may have been written before the service conformed. */
function ourNotifications(facts: Facts): Seen[] {
  const ids = new Set<unknown>(facts.orders.map(({ id }) => id));
  const isOurs = ({ record }: Seen) => Object.values(record).some((value) => ids.has(value));
  return notificationsSeen(facts).filter(isOurs);
}

type OrderFieldId = `ORD-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;
type NotificationFieldId = `NTF-${2 | 3 | 4 | 5 | 6 | 7}`;

/** Whether responses and records have the form that the specification gives them. */
export const judgeFormats = {
  'FMT-1': judgeBodies((call, title) => {
    const { json } = call;
    const what = json === undefined ? 'no JSON' : isObject(json) ? 'without `data`' : 'no object';
    const isRight = isObject(json) && Object.hasOwn(json, 'data');
    return [expect(isRight, `The response to ${title} is ${what}.`, call)];
  }),
  'FMT-2': judgeBodies((call, title) => {
    const type = findHeader(call.response?.headers ?? [], 'content-type');
    const isRight = !hasBody(call) || /^application\/json\s*(;|$)/i.test(type?.trim() ?? '');
    return [expect(isRight, `Content-Type is ${show(type)} in the response to ${title}.`, call)];
  }),
  'FMT-3': judgeBodies((call, title) => {
    // Without `data`, FMT-1 has failed.
    if (!isObject(call.json) || !Object.hasOwn(call.json, 'data')) return [];
    const { data } = call.json;
    const isList = Array.isArray(data) && data.every(isObject);
    if (call.operation === 'listOrders') {
      return [expect(isList, `\`data\` of ${title} is no array of objects.`, call)];
    }
    if (call.operation === 'createOrder' || call.operation === 'getOrder') {
      return [expect(isObject(data), `\`data\` of ${title} is no object.`, call)];
    }
    if (call.operation !== 'listNotifications' || isList) return [pass];
    return isObject(data) && Object.values(data).some(Array.isArray)
      ? [advice('The list of notifications is below `data`; clients look for it in `data`.', call)]
      : [fail(`\`data\` of ${title} has no array of objects.`, call)];
  }),
  ...(Object.fromEntries(
    orderFields.map((field, index) => [
      `ORD-${index + 1}`,
      judgeField(ordersWith(field[0]), field),
    ]),
  ) as Record<OrderFieldId, Judge>),
  'ORD-10': (facts) =>
    ordersSeen(facts).map((one) => {
      const missing = orderFieldNames.filter((name) => !Object.hasOwn(one.record, name));
      const reason = `An order has no ${missing.join(', ')} ${where(one)}.`;
      return expect(missing.length === 0, reason, one.call);
    }),
  ...(Object.fromEntries(
    notificationFields.map((field, index) => [
      `NTF-${index + 2}`,
      judgeField(ourNotifications, field),
    ]),
  ) as Record<NotificationFieldId, Judge>),
} satisfies Record<string, Judge>;
