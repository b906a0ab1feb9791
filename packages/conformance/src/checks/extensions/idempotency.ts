import { type Call, isAccepted, type JsonObject, objectIn, outcome } from '../../service/call';
import { family, type Trial, Unclear } from './trial';

/** A quantity that no other check orders: new orders of it are those of these checks. */
const quantity = 2;

const post = (trial: Trial, key: string, body: JsonObject): Promise<Call> =>
  trial.send('buyer', 'POST /v1/orders', { body, headers: { 'Idempotency-Key': key } });

/** Lists the IDs of the buyer's orders of a quantity. */
async function listIds(trial: Trial, units = quantity): Promise<unknown[]> {
  const orders = await trial.list('buyer', 'GET /v1/orders');
  return orders.filter((order) => order.quantity === units).map(({ id }) => id);
}

/** Returns how many orders of a quantity some work creates. */
async function countNew(trial: Trial, work: () => Promise<unknown>, units?: number) {
  const before = await listIds(trial, units);
  await work();
  return (await listIds(trial, units)).filter((id) => !before.includes(id)).length;
}

function expectOne(trial: Trial, created: number): void {
  if (created === 0) throw new Unclear('The list of orders does not show the new one.');
  trial.expect(created === 1, `${created} orders appeared.`);
}

export const idempotency = family({
  isOffered: ({ names, hasHeader }) =>
    names.has('idempotency') || hasHeader('tradepost-idempotency'),
  shownBy: 'the header Tradepost-Idempotency',
  prepare: async (trial) => ({ listingId: (await trial.order()).listingId, quantity }),
  checks: [
    {
      id: 'IDM-1',
      title: 'Repeats the first response to a key, and creates one order and one event',
      method:
        'Sends one POST /v1/orders twice with one Idempotency-Key, lists the orders, and waits for the events. Fails if the responses differ, or if there are two orders or two events.',
      async judge(trial, body) {
        const hook = await trial.hook('buyer', ['order.created']);
        const key = crypto.randomUUID();
        const calls: Call[] = [];
        const created = await countNew(trial, async () => {
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
    },
    {
      id: 'IDM-2',
      title: 'Creates one order for five simultaneous requests with one key',
      method: 'Sends one POST /v1/orders five times at once. Fails unless one order appears.',
      async judge(trial, body) {
        const key = crypto.randomUUID();
        const created = await countNew(trial, () =>
          Promise.all(Array.from({ length: 5 }, () => post(trial, key, body))),
        );
        expectOne(trial, created);
      },
    },
    {
      id: 'IDM-3',
      title: 'Rejects another body with a used key',
      method:
        'Sends another quantity with a used key. Fails if it is accepted or creates an order.',
      async judge(trial, body) {
        const key = crypto.randomUUID();
        await post(trial, key, body);
        const headers = { 'Idempotency-Key': key };
        const other = { ...body, quantity: 3 };
        const created = await countNew(
          trial,
          () => trial.rejected('buyer', 'POST /v1/orders', { body: other, headers }),
          other.quantity,
        );
        trial.expect(created === 0, 'An order of the other body appeared.');
      },
    },
    {
      id: 'IDM-4',
      title: 'Registers one webhook for each account that uses a key',
      method:
        'Registers a webhook twice with the key of the buyer, and once with that of the seller, with one Idempotency-Key. Fails unless the first two are one and the third is another.',
      async judge(trial) {
        const key = crypto.randomUUID();
        const events = ['order.created'];
        const send = { headers: { 'Idempotency-Key': key }, name: `x${key.slice(0, 8)}` };
        const first = await trial.hook('buyer', events, send);
        const second = await trial.register('buyer', events, send);
        const sellers = await trial.hook('seller', events, send);
        trial.expect(first.id === second.id, 'The second response has another webhook.');
        trial.expect(first.secret === second.secret, 'The second response has another secret.');
        trial.expect(first.id !== sellers.id, 'The seller got the response of the buyer.');
      },
    },
    {
      id: 'IDM-5',
      title: 'Accepts a key again whose request was rejected',
      method:
        'Sends a body without quantity, then the right one with the same key. Fails if that is rejected.',
      async judge(trial, body) {
        const key = crypto.randomUUID();
        const first = await post(trial, key, { listingId: body.listingId });
        if (isAccepted(first)) throw new Unclear('The body without quantity was accepted.');
        const second = await post(trial, key, body);
        trial.expect(isAccepted(second), `The right body was ${outcome(second)}.`);
      },
    },
  ],
});
