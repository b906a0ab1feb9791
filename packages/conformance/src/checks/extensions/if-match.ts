import type { PlacedOrder } from '../../run/facts';
import { isAccepted, objectIn, outcome } from '../../service/call';
import { family } from './family';
import { headerIn, NotOffered, type Trial } from './trial';

/** Reads the status of an order and its ETag; null if it has none. */
async function read(trial: Trial, { id }: PlacedOrder) {
  const call = await trial.accepted('buyer', `GET /v1/orders/${id}`);
  return { status: objectIn(call)?.status, tag: headerIn(call, 'etag') };
}

const changeIfMatch = (trial: Trial, { id }: PlacedOrder, tag: string | null, status: string) =>
  trial.send('seller', `PATCH /v1/orders/${id}`, {
    body: { status },
    headers: { 'If-Match': tag ?? '' },
  });

export const ifMatch = family('IFM', {
  shownBy: {
    text: 'the header ETag on an order, beside Tradepost-Extensions',
    isIn: ({ names }) => names.size > 0,
  },

  async prepare(trial) {
    const { created } = await trial.order();
    const isNamed = ['if-match', 'orders.etag'].some((name) => trial.offer.names.has(name));
    if (!isNamed && headerIn(created, 'etag') === null) {
      throw new NotOffered('An order has no ETag.');
    }
  },

  judges: {
    async 'IFM-1'(trial) {
      const order = await trial.order();
      const tag = headerIn(order.created, 'etag');
      trial.expect(tag !== null, 'The response of POST has no ETag.');
      const first = (await read(trial, order)).tag;
      trial.expect(first === tag, `POST sent the ETag ${tag}, GET ${first}.`);
      const changed = headerIn(await trial.change(order), 'etag');
      const second = (await read(trial, order)).tag;
      trial.expect(second === changed, `PATCH sent the ETag ${changed}, GET ${second}.`);
      trial.expect(second !== tag, `The ETag is ${tag} before and after a change.`);
    },
    async 'IFM-2'(trial) {
      const hook = await trial.hook('seller', ['order.status_changed']);
      const order = await trial.order();
      const { tag } = await read(trial, order);
      await trial.change(order);
      const stale = await changeIfMatch(trial, order, tag, 'cancelled');
      const { status } = await read(trial, order);
      trial.expect(status === 'fulfilling', `The order became ${status}.`);
      trial.expect(stale.response?.status === 412, `The request was ${outcome(stale)}.`);
      await trial.arrival(hook, order);
      await trial.change(order, 'completed');
      await trial.arrival(hook, order, 2);
      await trial.quiet();
      const texts = trial.arrivals(hook, order).map(({ body }) => body.toString());
      trial.expect(!texts.some((text) => text.includes('cancelled')), 'An event arrived.');
    },
    async 'IFM-3'(trial) {
      const order = await trial.order();
      const { tag } = await read(trial, order);
      const call = await changeIfMatch(trial, order, tag, 'fulfilling');
      trial.expect(isAccepted(call), `The request was ${outcome(call)}.`);
      const { status } = await read(trial, order);
      trial.expect(status === 'fulfilling', `The order is ${status}.`);
    },
    async 'IFM-4'(trial) {
      const order = await trial.order();
      const { tag } = await read(trial, order);
      const change = async (to: string) =>
        isAccepted(await changeIfMatch(trial, order, tag, to)) ? [to] : [];
      const winners = (await Promise.all(['fulfilling', 'cancelled'].map(change))).flat();
      trial.expect(winners.length === 1, `${winners.length} of the two were accepted.`);
      const { status } = await read(trial, order);
      trial.expect(status === winners[0], `${winners[0]} was accepted; the order is ${status}.`);
    },
  },
});
