import { isAccepted, outcome } from '../../service/call';
import { family, headerIn, NotOffered, type Trial } from './trial';

const readTag = (call: Parameters<typeof headerIn>[0]) => headerIn(call, 'etag');

const read = (trial: Trial, id: string) => trial.accepted('buyer', `GET /v1/orders/${id}`);

const changeIfMatch = (trial: Trial, id: string, tag: string | null, status: string) =>
  trial.send('seller', `PATCH /v1/orders/${id}`, {
    body: { status },
    headers: { 'If-Match': tag ?? '' },
  });

export const ifMatch = family({
  isOffered: ({ names }) => names.size > 0,
  shownBy: 'the header ETag on an order, beside Tradepost-Extensions',
  async prepare(trial) {
    const { created } = await trial.order();
    const isNamed = ['if-match', 'orders.etag'].some((name) => trial.offer.names.has(name));
    if (!isNamed && readTag(created) === null) throw new NotOffered('An order has no ETag.');
  },
  checks: [
    {
      id: 'IFM-1',
      title: 'Sends one ETag for each version of an order',
      method:
        'Compares the ETag of POST and GET, then of PATCH and GET. Fails if one is absent, if they differ, or if the change leaves it.',
      async judge(trial) {
        const { id, created } = await trial.order();
        const tag = readTag(created);
        trial.expect(tag !== null, 'The response of POST has no ETag.');
        const first = readTag(await read(trial, id));
        trial.expect(first === tag, `POST sent the ETag ${tag}, GET ${first}.`);
        const changed = readTag(await trial.change({ id }));
        const second = readTag(await read(trial, id));
        trial.expect(second === changed, `PATCH sent the ETag ${changed}, GET ${second}.`);
        trial.expect(second !== tag, `The ETag is ${tag} before and after a change.`);
      },
    },
    {
      id: 'IFM-2',
      title: 'Rejects a change of an old version with 412, and sends no event of it',
      method:
        'Sends an old ETag as If-Match, then makes another change and waits for its event. Fails if the status is not 412, if the order changed, or if an event of the rejected change arrives.',
      async judge(trial) {
        const hook = await trial.hook('seller', ['order.status_changed']);
        const { id } = await trial.order();
        const old = readTag(await read(trial, id));
        await trial.change({ id });
        const stale = await changeIfMatch(trial, id, old, 'cancelled');
        const status = await trial.status({ id });
        trial.expect(status === 'fulfilling', `The order became ${status}.`);
        trial.expect(stale.response?.status === 412, `The request was ${outcome(stale)}.`);
        await trial.arrival(hook, { id });
        await trial.change({ id }, 'completed');
        await trial.arrival(hook, { id }, 2);
        await trial.quiet();
        const texts = trial.arrivals(hook, { id }).map(({ body }) => body.toString());
        trial.expect(!texts.some((text) => text.includes('cancelled')), 'An event arrived.');
      },
    },
    {
      id: 'IFM-3',
      title: 'Makes a change of the current version',
      method:
        'Sends the current ETag as If-Match. Fails if the request is rejected or changes nothing.',
      async judge(trial) {
        const { id } = await trial.order();
        const call = await changeIfMatch(trial, id, readTag(await read(trial, id)), 'fulfilling');
        trial.expect(isAccepted(call), `The request was ${outcome(call)}.`);
        const status = await trial.status({ id });
        trial.expect(status === 'fulfilling', `The order is ${status}.`);
      },
    },
    {
      id: 'IFM-4',
      title: 'Lets one of two simultaneous changes of one version win',
      method:
        'Requests cancelled and fulfilling at once with one ETag. Fails unless one is accepted and stays.',
      async judge(trial) {
        const { id } = await trial.order();
        const tag = readTag(await read(trial, id));
        const statuses = ['fulfilling', 'cancelled'];
        const calls = await Promise.all(
          statuses.map((status) => changeIfMatch(trial, id, tag, status)),
        );
        const winners = statuses.filter((_, index) => calls[index] && isAccepted(calls[index]));
        trial.expect(winners.length === 1, `${winners.length} of the two were accepted.`);
        const status = await trial.status({ id });
        trial.expect(status === winners[0], `${winners[0]} was accepted; the order is ${status}.`);
      },
    },
  ],
});
