import { stalledBetween } from '../../run/facts';
import { isObject, objectIn } from '../../service/call';
import { family } from './family';
import { headerIn, Unclear } from './trial';

const day = 24 * 3_600_000;
const parseTime = (value: unknown) => Date.parse(String(value));

export const deliveries = family('DLV', {
  shownBy: 'deliveries',

  /** A delivery whose first attempt got a 500 and the second a 204: as arrived, and as the service shows it. */
  async prepare(trial) {
    const { hook, order, first } = await trial.rejectedAttempt();
    const list = `GET /v1/deliveries?webhookId=${hook.id}&orderId=${order.id}`;
    const waiting = await trial.poll(
      async () => (await trial.list('seller', list))[0] ?? {},
      ({ attemptCount, nextAttemptAt }) =>
        Number(attemptCount) > 1 || (attemptCount === 1 && nextAttemptAt !== null),
    );
    const path = `/v1/deliveries/${waiting.id}`;
    const second = await trial.arrival(hook, order, 2, true);
    const delivered = await trial.poll(
      () => trial.object('seller', `GET ${path}`),
      ({ state }) => state === 'delivered',
    );
    return { hook, order, path, waiting, delivered, arrived: [first, second] as const };
  },

  judges: {
    async 'DLV-1'(trial, { delivered, arrived }) {
      const attempts = Array.isArray(delivered.attempts) ? delivered.attempts : [];
      const found = attempts.filter(isObject).map(({ number, status }) => `${number}: ${status}`);
      const text = found.sort().join(', ');
      trial.expect(text === '1: 500, 2: 204', `It has the attempts "${text}".`);
      trial.expect(delivered.state === 'delivered', `It is ${delivered.state}.`);
      for (const { body } of arrived)
        trial.expect(delivered.body === body.toString(), `It has the body ${delivered.body}.`);
    },
    async 'DLV-2'(trial, { waiting, arrived }) {
      if (Number(waiting.attemptCount) > 1) {
        throw new Unclear('This machine was too busy to read nextAttemptAt before the retry.');
      }
      const announced = trial.toKitTime(parseTime(waiting.nextAttemptAt));
      const { at } = arrived[1];
      const late = (at - announced) / 1000;
      const stalled = stalledBetween(trial.run.facts.stalls, announced, at) / 1000;
      const text = `${waiting.nextAttemptAt} is ${late.toFixed(1)} s before the arrival.`;
      trial.expect(Math.abs(late) <= 2 + stalled, text);
    },
    async 'DLV-3'(trial, { waiting, arrived }) {
      const event = isObject(arrived[0].json) ? arrived[0].json : {};
      const apart = parseTime(waiting.deadlineAt) - parseTime(event.createdAt);
      trial.expect(apart === day, `They are ${apart / 3_600_000} hours apart.`);
    },
    async 'DLV-4'(trial, { hook, order, path, waiting, arrived }) {
      const call = await trial.accepted('seller', `POST ${path}/replay`);
      const [first] = arrived;
      const again = await trial.arrival(hook, order, 3);
      trial.expect(again.body.equals(first.body), 'The bytes differ.');
      const [before, after] = [first, again].map((one) => headerIn(one, 'webhook-id'));
      trial.expect(before === after, `webhook-id was ${before} and is ${after}.`);
      const deadline = parseTime(objectIn(call)?.deadlineAt);
      const isNew = Math.abs(trial.toKitTime(deadline) - call.endedAt - day) < 60_000;
      const text = `deadlineAt was ${waiting.deadlineAt} and is ${objectIn(call)?.deadlineAt}.`;
      trial.expect(isNew && deadline > parseTime(waiting.deadlineAt), text);
    },
    async 'DLV-5'(trial, { hook, path, waiting }) {
      for (const query of ['', `?webhookId=${hook.id}`]) {
        const call = await trial.send('buyer', `GET /v1/deliveries${query}`);
        const text = call.response?.body.toString() ?? '';
        trial.expect(!text.includes(String(waiting.id)), 'The buyer lists it.');
      }
      await trial.rejected('buyer', `GET ${path}`);
      await trial.rejected('buyer', `POST ${path}/replay`);
    },
  },
});
