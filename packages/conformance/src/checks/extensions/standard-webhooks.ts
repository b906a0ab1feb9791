import { createHmac } from 'node:crypto';
import type { Delivery } from '../../receiver/receiver';
import { family } from './family';
import { headerIn, NotOffered, Unclear } from './trial';

const tolerance = 5;

/** Returns the signature that a delivery has by a secret. Source: Standard Webhooks, "Signature scheme". */
export function standardSignature(delivery: Delivery, secret: string): string {
  const id = headerIn(delivery, 'webhook-id');
  const seconds = headerIn(delivery, 'webhook-timestamp');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = Buffer.concat([Buffer.from(`${id}.${seconds}.`), delivery.body]);
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** The signatures in `webhook-signature`. */
export const standardSignatures = (delivery: Delivery): string[] =>
  headerIn(delivery, 'webhook-signature')?.split(' ') ?? [];

export const standardWebhooks = family('STW', {
  shownBy: {
    text: 'the header webhook-id on deliveries, beside Tradepost-Extensions',
    isIn: ({ names }) => names.size > 0,
  },

  /** Two attempts of one event, and a delivery of another event. */
  async prepare(trial) {
    const { hook, order, first } = await trial.rejectedAttempt();
    const isDeclared = trial.offer.names.has('standard-webhooks');
    if (!isDeclared && headerIn(first, 'webhook-id') === null) {
      throw new NotOffered('A delivery has no webhook-id.');
    }
    const retry = await trial.arrival(hook, order, 2, true);
    await trial.change(order, 'completed');
    const isOther = ({ json }: Delivery) => JSON.stringify(json).includes('"completed"');
    const next = await trial.poll(
      async () => trial.arrivals(hook, order).find(isOther),
      (found) => found !== undefined,
    );
    if (!next) throw new Unclear('The second event did not arrive.');
    trial.deliveries.push(next);
    return { hook, attempts: [first, retry] as const, next };
  },

  judges: {
    async 'STW-1'(trial, { attempts, next }) {
      const [first, second, third] = [...attempts, next].map((one) => headerIn(one, 'webhook-id'));
      trial.expect(first === second, `The attempts have ${first} and ${second}.`);
      trial.expect(third !== null && first !== third, `Both events have ${third}.`);
    },
    async 'STW-2'(trial, { attempts, next }) {
      for (const delivery of [...attempts, next]) {
        const value = headerIn(delivery, 'webhook-timestamp');
        const sentAt = trial.toKitTime(Number(value) * 1000);
        const apart = Math.abs(sentAt - delivery.at) / 1000;
        trial.expect(apart <= tolerance, `${value} is ${apart.toFixed(1)} s from the arrival.`);
      }
      const [first, retry] = attempts;
      if (retry.at - first.at < 2000) return;
      const [before, after] = attempts.map((one) => headerIn(one, 'webhook-timestamp'));
      trial.expect(before !== after, `Two attempts have the time ${after}.`);
    },
    async 'STW-3'(trial, { hook, attempts, next }) {
      for (const delivery of [...attempts, next]) {
        const signatures = standardSignatures(delivery);
        const isSigned = signatures.includes(standardSignature(delivery, hook.secret));
        trial.expect(isSigned, `webhook-signature is ${JSON.stringify(signatures)}.`);
      }
    },
  },
});
