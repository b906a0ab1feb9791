import { stalledBetween } from '../../run/facts';
import { isObject, objectIn } from '../../service/call';
import { family, headerIn } from './trial';

const day = 24 * 3_600_000;
const parseTime = (value: unknown) => Date.parse(String(value));

export const deliveries = family({
  isOffered: ({ names }) => names.has('deliveries'),
  shownBy: 'deliveries in Tradepost-Extensions',
  /** A delivery whose first attempt got a 500 and the second a 204: as arrived, and as the service shows it. */
  async prepare(trial) {
    const hook = await trial.hook('seller', ['order.status_changed']);
    const order = await trial.order();
    trial.rejectFirst(hook, order);
    await trial.change(order);
    const first = await trial.arrival(hook, order);
    const find = async () =>
      (
        await trial.list('seller', `GET /v1/deliveries?webhookId=${hook.id}&orderId=${order.id}`)
      )[0] ?? {};
    const waiting = await trial.poll(
      find,
      ({ attemptCount, nextAttemptAt }) => attemptCount === 1 && nextAttemptAt !== null,
    );
    const path = `/v1/deliveries/${waiting.id}`;
    const second = await trial.arrival(hook, order, 2, true);
    const read = () => trial.object('seller', `GET ${path}`);
    const delivered = await trial.poll(read, ({ state }) => state === 'delivered');
    return { hook, order, path, waiting, delivered, arrived: [first, second] as const };
  },
  checks: [
    {
      id: 'DLV-1',
      title: 'Shows the attempts and the body of a delivery as they were sent',
      method:
        'Rejects the first attempt, accepts the second. Fails unless the delivery has these two with their statuses, and the body that arrived.',
      async judge(trial, { delivered, arrived }) {
        const attempts = Array.isArray(delivered.attempts) ? delivered.attempts : [];
        const found = attempts.filter(isObject).map(({ number, status }) => `${number}: ${status}`);
        const text = found.toSorted().join(', ');
        trial.expect(text === '1: 500, 2: 204', `It has the attempts "${text}".`);
        trial.expect(delivered.state === 'delivered', `It is ${delivered.state}.`);
        for (const { body } of arrived)
          trial.expect(delivered.body === body.toString(), `It has the body ${delivered.body}.`);
      },
    },
    {
      id: 'DLV-2',
      title: 'Returns the start of the next attempt as nextAttemptAt',
      method:
        'Compares it with the arrival of the retry. Fails if they are more than 2 s apart, beside the time in which the kit itself did not run.',
      async judge(trial, { waiting, arrived }) {
        const [announced, { at }] = [parseTime(waiting.nextAttemptAt), arrived[1]];
        const late = (at - announced) / 1000;
        const stalled = stalledBetween(trial.run.facts.stalls, announced, at) / 1000;
        const text = `${waiting.nextAttemptAt} is ${late.toFixed(1)} s before the arrival.`;
        trial.expect(Math.abs(late) <= 2 + stalled, text);
      },
    },
    {
      id: 'DLV-3',
      title: 'Ends the retries 24 hours after the event',
      method:
        'Compares deadlineAt with createdAt of the event. Fails unless they are 24 hours apart.',
      async judge(trial, { waiting, arrived }) {
        const event = isObject(arrived[0].json) ? arrived[0].json : {};
        const apart = parseTime(waiting.deadlineAt) - parseTime(event.createdAt);
        trial.expect(apart === day, `They are ${apart / 3_600_000} hours apart.`);
      },
    },
    {
      id: 'DLV-4',
      title: 'Replays a delivery with the same bytes and the same webhook-id, for another 24 hours',
      method:
        'Replays the delivery. Fails if body or webhook-id differ, or the deadline is not 24 hours from then.',
      async judge(trial, { hook, order, path, waiting, arrived }) {
        const call = await trial.accepted('seller', `POST ${path}/replay`);
        const [first] = arrived;
        const again = await trial.arrival(hook, order, 3);
        trial.expect(again.body.equals(first.body), 'The bytes differ.');
        const [before, after] = [first, again].map((one) => headerIn(one, 'webhook-id'));
        trial.expect(before === after, `webhook-id was ${before} and is ${after}.`);
        const deadline = parseTime(objectIn(call)?.deadlineAt);
        const isNew = Math.abs(deadline - call.endedAt - day) < 60_000;
        const text = `deadlineAt was ${waiting.deadlineAt} and is ${objectIn(call)?.deadlineAt}.`;
        trial.expect(isNew && deadline > parseTime(waiting.deadlineAt), text);
      },
    },
    {
      id: 'DLV-5',
      title: 'Hides a delivery from other accounts',
      method:
        "Lists, gets and replays the seller's delivery with the buyer's key. Fails if any works.",
      async judge(trial, { hook, path, waiting }) {
        for (const query of ['', `?webhookId=${hook.id}`]) {
          const call = await trial.send('buyer', `GET /v1/deliveries${query}`);
          const text = call.response?.body.toString() ?? '';
          trial.expect(!text.includes(String(waiting.id)), 'The buyer lists it.');
        }
        await trial.rejected('buyer', `GET ${path}`);
        await trial.rejected('buyer', `POST ${path}/replay`);
      },
    },
  ],
});
