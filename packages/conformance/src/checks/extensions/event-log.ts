import { isDeepStrictEqual } from 'node:util';
import type { Delivery } from '../../receiver/receiver';
import { isObject, type JsonObject, listIn } from '../../service/call';
import { family } from './family';
import { besideData, headerIn, nextCursor, type Trial } from './trial';

const isAboutOrder = ({ data }: JsonObject, id: string) => isObject(data) && data.orderId === id;

/** Reads the buyer's log from a cursor to its end, or until it has `enough` events. Returns them and the last cursor. */
async function readLog(trial: Trial, start: string | null, enough = Number.POSITIVE_INFINITY) {
  const events: JsonObject[] = [];
  let cursor = start;
  for (let page = 0; page < 200; page += 1) {
    const call = await trial.accepted('buyer', `GET /v1/events?after=${cursor}&limit=5`);
    events.push(...listIn(call));
    cursor = nextCursor(call);
    if (besideData(call, 'hasMore') !== true || events.length >= enough) break;
  }
  return { events, cursor };
}

/** Returns the cursor at the end of an account's log. */
const readEnd = async (trial: Trial, caller: 'buyer' | 'stranger') =>
  nextCursor(await trial.accepted(caller, 'GET /v1/events?after=now'));

/** Whether an entry of the log is the event of a delivery. */
function isSame(entry: JsonObject, delivery: Delivery): boolean {
  const id = headerIn(delivery, 'webhook-id');
  const { event, createdAt, data } = isObject(delivery.json) ? delivery.json : {};
  const isSameContent =
    entry.event === event && entry.createdAt === createdAt && isDeepStrictEqual(entry.data, data);
  return isSameContent && (id === null || entry.id === id);
}

export const eventLog = family('EVL', {
  shownBy: 'events',
  judges: {
    async 'EVL-1'(trial) {
      const start = await readEnd(trial, 'buyer');
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
    async 'EVL-2'(trial) {
      const start = await readEnd(trial, 'buyer');
      const followed: JsonObject[] = [];
      let cursor = start;
      const follow = async () => {
        const page = await readLog(trial, cursor);
        cursor = page.cursor;
        followed.push(...page.events);
      };
      let isCreating = true;
      const created = Promise.all(Array.from({ length: 20 }, () => trial.order()));
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
      const again = await readLog(trial, start, ids.length);
      const order = again.events.slice(0, ids.length).map(({ id }) => id);
      trial.expect(order.join() === ids.join(), 'A second reader got another order.');
    },
    async 'EVL-3'(trial) {
      const order = await trial.order();
      await trial.change(order);
      const events = await trial.poll(
        () => trial.list('buyer', `GET /v1/events?orderId=${order.id}`),
        ({ length }) => length > 1,
      );
      const kinds = events.map(({ event }) => String(event));
      const own = kinds.filter((kind) => kind.startsWith('order.'));
      const isWhole = own.join() === 'order.created,order.status_changed';
      trial.expect(isWhole, `It has ${own.join(' and ')}.`);
      const isOther = (entry: JsonObject) =>
        isObject(entry.data) && 'orderId' in entry.data && !isAboutOrder(entry, order.id);
      trial.expect(!events.some(isOther), 'It has an event of another order.');
    },
    async 'EVL-4'(trial) {
      const order = await trial.order();
      const log = `GET /v1/events?orderId=${order.id}`;
      const page = await trial.poll(
        () => trial.accepted('buyer', log),
        (call) => listIn(call).length > 0,
      );
      const [call, changed] = await Promise.all([
        trial.accepted('buyer', `${log}&after=${nextCursor(page)}&waitSeconds=20`),
        trial.change(order),
      ]);
      const seconds = (call.endedAt - changed.endedAt) / 1000;
      trial.expect(seconds < 15, `It took ${seconds.toFixed(1)} s after the change.`);
      trial.expect(listIn(call).length > 0, 'The response has no event.');
    },
    async 'EVL-5'(trial) {
      const start = await readEnd(trial, 'stranger');
      const { id } = await trial.order();
      for (const query of [`after=${start}`, `orderId=${id}`]) {
        const events = await trial.list('stranger', `GET /v1/events?${query}`);
        const isShown = events.some((entry) => isAboutOrder(entry, id));
        trial.expect(!isShown, 'The stranger got its event.');
      }
    },
  },
});
