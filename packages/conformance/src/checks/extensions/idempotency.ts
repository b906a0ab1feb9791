import { type Call, isAccepted, type JsonObject, objectIn, outcome } from '../../service/call';
import { family } from './family';
import { type Trial, Unclear } from './trial';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

const post = (trial: Trial, key: string, body: JsonObject): Promise<Call> =>
  trial.send('buyer', 'POST /v1/orders', { body, ...keyed(key) });

/** Returns how many orders with the quantity of a body some work creates. Checks of other families order one unit. */
async function countNew(trial: Trial, { quantity }: JsonObject, work: () => Promise<unknown>) {
  const listIds = async () => {
    const orders = await trial.list('buyer', 'GET /v1/orders');
    return orders.filter((order) => order.quantity === quantity).map(({ id }) => id);
  };
  const before = await listIds();
  await work();
  return (await listIds()).filter((id) => !before.includes(id)).length;
}

function expectOne(trial: Trial, created: number): void {
  if (created === 0) throw new Unclear('The list of orders does not show the new one.');
  trial.expect(created === 1, `${created} orders appeared.`);
}

export const idempotency = family('IDM', {
  shownBy: {
    text: 'the header Tradepost-Idempotency',
    isIn: ({ names, hasHeader }) => names.has('idempotency') || hasHeader('tradepost-idempotency'),
  },

  /** The body of an order. */
  prepare: async (trial) => ({ listingId: (await trial.order()).listingId, quantity: 2 }),

  judges: {
    async 'IDM-1'(trial, body) {
      const hook = await trial.hook('buyer', ['order.created']);
      const key = crypto.randomUUID();
      const calls: Call[] = [];
      const created = await countNew(trial, body, async () => {
        for (const _ of [1, 2]) calls.push(await post(trial, key, body));
      });
      const [first, second] = calls;
      const order = first && objectIn(first);
      if (!order) throw new Unclear('The service created no order for this check.');
      expectOne(trial, created);
      const isSame =
        first.response?.status === second?.response?.status &&
        JSON.stringify(first.json) === JSON.stringify(second?.json);
      trial.expect(isSame, 'The second response is not the first one.');
      await trial.arrival(hook, order);
      await trial.arrival(hook, await trial.order());
      await trial.quiet();
      const events = new Set(trial.arrivals(hook, order).map(({ body }) => body.toString()));
      trial.expect(events.size === 1, `${events.size} different events arrived.`);
    },
    async 'IDM-2'(trial, body) {
      const key = crypto.randomUUID();
      const send = () => Promise.all(Array.from({ length: 5 }, () => post(trial, key, body)));
      expectOne(trial, await countNew(trial, body, send));
    },
    async 'IDM-3'(trial, body) {
      const key = crypto.randomUUID();
      const first = await post(trial, key, body);
      if (!isAccepted(first)) throw new Unclear(`The first request was ${outcome(first)}.`);
      const other = { ...body, quantity: 3 };
      const created = await countNew(trial, other, () =>
        trial.rejected('buyer', 'POST /v1/orders', { body: other, ...keyed(key) }),
      );
      trial.expect(created === 0, 'An order of the other body appeared.');
    },
    async 'IDM-4'(trial) {
      const key = crypto.randomUUID();
      const options = { name: `x${key.slice(0, 8)}`, ...keyed(key) };
      const first = await trial.hook('buyer', ['order.created'], options);
      const second = await trial.register('buyer', ['order.created'], options);
      const sellers = await trial.hook('seller', ['order.created'], options);
      trial.expect(first.id === second.id, 'The second response has another webhook.');
      trial.expect(first.secret === second.secret, 'The second response has another secret.');
      trial.expect(first.id !== sellers.id, 'The seller got the response of the buyer.');
    },
    async 'IDM-5'(trial, body) {
      const key = crypto.randomUUID();
      const first = await post(trial, key, { listingId: body.listingId });
      if (isAccepted(first)) throw new Unclear('The body without quantity was accepted.');
      const second = await post(trial, key, body);
      trial.expect(isAccepted(second), `The right body was ${outcome(second)}.`);
    },
  },
});
