import { createHmac } from 'node:crypto';
import type { Delivery } from '../../receiver/receiver';
import { family, headerIn, NotOffered, Unclear } from './trial';

const tolerance = 5;

/** Returns the signature that a delivery has by a secret. Source: Standard Webhooks, "Signature scheme". */
export function standardSignature(delivery: Delivery, secret: string): string {
  const id = headerIn(delivery, 'webhook-id');
  const seconds = headerIn(delivery, 'webhook-timestamp');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = Buffer.concat([Buffer.from(`${id}.${seconds}.`), delivery.body]);
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

export const standardWebhooks = family({
  isOffered: ({ names }) => names.size > 0,
  shownBy: 'the header webhook-id on deliveries, beside Tradepost-Extensions',
  async prepare(trial) {
    const hook = await trial.hook('seller', ['order.status_changed']);
    const order = await trial.order();
    trial.rejectFirst(hook, order);
    await trial.change(order);
    const first = await trial.arrival(hook, order);
    const isDeclared = trial.offer.names.has('standard-webhooks');
    if (!isDeclared && headerIn(first, 'webhook-id') === null) {
      throw new NotOffered('A delivery has no webhook-id.');
    }
    const retry = await trial.arrival(hook, order, 2, true);
    await trial.change(order, 'completed');
    const isOther = ({ json }: Delivery) => JSON.stringify(json).includes('"completed"');
    const find = () => trial.arrivals(hook, order).find(isOther);
    const next = await trial.poll(
      async () => find(),
      (found) => found !== undefined,
    );
    if (!next) throw new Unclear('The second event did not arrive.');
    trial.deliveries.push(next);
    return { hook, attempts: [first, retry] as const, next };
  },
  checks: [
    {
      id: 'STW-1',
      title: 'Sends one webhook-id in all attempts of an event, and another one for another event',
      method:
        'Rejects the first attempt. Fails if the retry has another webhook-id, or the next event the same.',
      async judge(trial, { attempts, next }) {
        const [first, second, third] = [...attempts, next].map((one) =>
          headerIn(one, 'webhook-id'),
        );
        trial.expect(first === second, `The attempts have ${first} and ${second}.`);
        trial.expect(third !== null && first !== third, `Both events have ${third}.`);
      },
    },
    {
      id: 'STW-2',
      title: 'Sends the time of each attempt as webhook-timestamp',
      method: `Compares it with the arrival, also of a retry. Fails if they are more than ${tolerance} s apart.`,
      async judge(trial, { attempts, next }) {
        for (const delivery of [...attempts, next]) {
          const value = headerIn(delivery, 'webhook-timestamp');
          const apart = Math.abs(Number(value) - delivery.at / 1000);
          trial.expect(apart <= tolerance, `${value} is ${apart.toFixed(1)} s from the arrival.`);
        }
        const [first, retry] = attempts;
        if (retry.at - first.at < 2000) return;
        const [before, after] = attempts.map((one) => headerIn(one, 'webhook-timestamp'));
        trial.expect(before !== after, `Two attempts have the time ${after}.`);
      },
    },
    {
      id: 'STW-3',
      title: 'Signs ID, time and body in webhook-signature',
      method:
        'Computes the v1 signature of each attempt. Fails if webhook-signature does not have it.',
      async judge(trial, { hook, attempts, next }) {
        for (const delivery of [...attempts, next]) {
          const signatures = headerIn(delivery, 'webhook-signature')?.split(' ') ?? [];
          const isSigned = signatures.includes(standardSignature(delivery, hook.secret));
          trial.expect(isSigned, `webhook-signature is ${JSON.stringify(signatures)}.`);
        }
      },
    },
  ],
});
