import type { Delivery } from '../../receiver/receiver';
import { isObject, type JsonObject, listIn } from '../../service/call';
import { besideData, family, headerIn, type Trial } from './trial';

const isAboutOrder = ({ data }: JsonObject, id: string) => isObject(data) && data.orderId === id;

/** Reads the buyer's log from a cursor to its end, or until `isEnough`. Returns the events and the last cursor. */
async function readLog(
  trial: Trial,
  after: unknown,
  isEnough: (events: JsonObject[]) => boolean = () => false,
): Promise<{ events: JsonObject[]; cursor: unknown }> {
  const events: JsonObject[] = [];
  let cursor = after;
  for (let page = 0; page < 200; page += 1) {
    const query = `after=${encodeURIComponent(String(cursor))}&limit=5`;
    const call = await trial.accepted('buyer', `GET /v1/events?${query}`);
    events.push(...listIn(call));
    cursor = besideData(call, 'nextCursor');
    if (besideData(call, 'hasMore') !== true || isEnough(events)) break;
  }
  return { events, cursor };
}

/** Returns the cursor at the end of an account's log. */
const readEnd = async (trial: Trial, caller: 'buyer' | 'stranger' = 'buyer'): Promise<unknown> =>
  besideData(await trial.accepted(caller, 'GET /v1/events?after=now'), 'nextCursor');

/** Whether an entry of the log is the event of a delivery. */
function isSame(entry: JsonObject, { json, headers }: Delivery): boolean {
  const id = headerIn({ headers }, 'webhook-id');
  const { event, createdAt, data } = isObject(json) ? json : {};
  const isSameContent =
    entry.event === event &&
    entry.createdAt === createdAt &&
    JSON.stringify(entry.data) === JSON.stringify(data);
  return isSameContent && (id === null || entry.id === id);
}

const simultaneous = 20;

export const eventLog = family({
  isOffered: ({ names }) => names.has('events'),
  shownBy: 'events in Tradepost-Extensions',
  checks: [
    {
      id: 'EVL-1',
      title: 'Lists each delivered event once in the log',
      method:
        'Creates and changes an order. Fails unless each delivery has one entry with its ID and content.',
      async judge(trial) {
        const start = await readEnd(trial);
        const hook = await trial.hook('buyer', ['order.created', 'order.status_changed']);
        const order = await trial.order();
        await trial.arrival(hook, order);
        await trial.change(order);
        await trial.arrival(hook, order, 2);
        const { events } = await readLog(trial, start);
        for (const delivery of trial.arrivals(hook, order)) {
          const { length } = events.filter((entry) => isSame(entry, delivery));
          trial.expect(length === 1, `An event has ${length} entries that are the same.`);
        }
      },
    },
    {
      id: 'EVL-2',
      title: 'Returns every event once to a client that follows the cursors',
      method: `Follows the log while ${simultaneous} orders are created at once, and reads it again. Fails if an event is missing or repeated, or if the order differs.`,
      async judge(trial) {
        const start = await readEnd(trial);
        const followed: JsonObject[] = [];
        let cursor = start;
        const follow = async () => {
          const page = await readLog(trial, cursor);
          cursor = page.cursor;
          followed.push(...page.events);
          return followed;
        };
        let isCreating = true;
        const created = Promise.all(Array.from({ length: simultaneous }, () => trial.order()));
        const [orders] = await Promise.all([
          created.finally(() => {
            isCreating = false;
          }),
          trial.poll(follow, () => !isCreating, Number.POSITIVE_INFINITY),
        ]);
        const findMissing = () =>
          orders.find(({ id }) => !followed.some((entry) => isAboutOrder(entry, id)))?.id;
        await trial.poll(follow, () => findMissing() === undefined);
        const missing = findMissing();
        trial.expect(missing === undefined, `The event of ${missing} is not in the log.`);
        const ids = followed.map(({ id }) => id);
        trial.expect(new Set(ids).size === ids.length, 'An event came twice.');
        const again = await readLog(trial, start, ({ length }) => length >= ids.length);
        const order = again.events.slice(0, ids.length).map(({ id }) => id);
        trial.expect(order.join() === ids.join(), 'A second reader got another order.');
      },
    },
    {
      id: 'EVL-3',
      title: 'Lists the events of one order, oldest first',
      method:
        'Creates and changes an order, and lists with its orderId. Fails if the list has others, or another order.',
      async judge(trial) {
        const order = await trial.order();
        await trial.change(order);
        const path = `GET /v1/events?orderId=${order.id}`;
        const read = () => trial.list('buyer', path);
        const events = await trial.poll(read, ({ length }) => length > 1);
        const kinds = events
          .map(({ event }) => event)
          .filter((kind) => String(kind).startsWith('order.'));
        const isWhole = kinds.join() === 'order.created,order.status_changed';
        trial.expect(isWhole, `It has ${kinds.join(' and ')}.`);
        const other = events.find(
          (entry) =>
            isObject(entry.data) && 'orderId' in entry.data && !isAboutOrder(entry, order.id),
        );
        trial.expect(other === undefined, 'It has an event of another order.');
      },
    },
    {
      id: 'EVL-4',
      title: 'Ends a wait when an event occurs',
      method:
        'Waits 20 s for an event of an order, which then changes. Fails unless the response comes before, with the event.',
      async judge(trial) {
        const order = await trial.order();
        const log = `GET /v1/events?orderId=${order.id}`;

        const read = () => trial.accepted('buyer', log);
        const page = await trial.poll(read, (call) => listIn(call).length > 0);
        const after = encodeURIComponent(String(besideData(page, 'nextCursor')));
        const [call, changed] = await Promise.all([
          trial.accepted('buyer', `${log}&after=${after}&waitSeconds=20`),
          trial.change(order),
        ]);
        const seconds = (call.endedAt - changed.endedAt) / 1000;
        trial.expect(seconds < 15, `It took ${seconds.toFixed(1)} s after the change.`);
        trial.expect(listIn(call).length > 0, 'The response has no event.');
      },
    },
    {
      id: 'EVL-5',
      hides: true,
      title: 'Lists no event of other accounts in the log',
      method:
        "Reads the stranger's log after an order was created, also with its orderId. Fails if it has an event.",
      async judge(trial) {
        const start = encodeURIComponent(String(await readEnd(trial, 'stranger')));
        const { id } = await trial.order();
        for (const query of [`after=${start}`, `orderId=${id}`]) {
          const events = await trial.list('stranger', `GET /v1/events?${query}`);
          trial.expect(
            !events.some((entry) => isAboutOrder(entry, id)),
            'The stranger got its event.',
          );
        }
      },
    },
  ],
});
