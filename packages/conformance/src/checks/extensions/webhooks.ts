import { createHmac } from 'node:crypto';
import type { Delivery } from '../../receiver/receiver';
import { eventData, type PlacedOrder } from '../../run/facts';
import { findSecret } from '../../run/run';
import type { JsonObject } from '../../service/call';
import { family } from './family';
import { standardSignature, standardSignatures } from './standard-webhooks';
import { type Hook, headerIn, type Trial, Unclear } from './trial';

const events = ['order.status_changed'];

const register = (trial: Trial) => trial.hook('seller', events);

const patch = (trial: Trial, { id }: Hook, body: JsonObject) =>
  trial.accepted('seller', `PATCH /v1/webhooks/${id}`, { body });

/** Changes an order. Returns the delivery of that to a webhook. */
async function deliver(trial: Trial, hook: Hook): Promise<Delivery> {
  const order = await trial.order();
  await trial.change(order);
  return trial.arrival(hook, order);
}

/** Changes an order, and requires that a webhook gets no delivery of that: another webhook gets it, and then time passes. */
async function expectSilence(trial: Trial, hook: Hook, observed: string): Promise<PlacedOrder> {
  const fence = await register(trial);
  const order = await trial.order();
  await trial.change(order);
  await trial.arrival(fence, order);
  await trial.quiet();
  trial.expect(trial.arrivals(hook, order).length === 0, observed);
  return order;
}

/** Requires that a delivery's `Service-Signature` is by a secret. */
function expectSignature(trial: Trial, delivery: Delivery, secret: string, which: string): void {
  const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
  const isRight = headerIn(delivery, 'service-signature') === expected;
  trial.expect(isRight, `Service-Signature is not by the ${which} secret.`);
}

/** Stages a secret and returns it. No report shows it: it is one of a webhook of the run. */
async function stage(trial: Trial, hook: Hook): Promise<string> {
  const call = await trial.accepted(hook.owner, `POST /v1/webhooks/${hook.id}/secret`);
  const secret = await findSecret(trial.run.profile, call);
  if (secret === null || secret === hook.secret) {
    // A secret that was not found would be shown in the evidence.
    trial.calls.pop();
    throw new Unclear('The response has no new secret where the profile or usual places have it.');
  }
  const staged = { name: `${hook.name}_staged`, secret, isDeleted: true };
  trial.run.facts.webhooks.push({ ...hook, ...staged });
  return secret;
}

export const webhooks = family('WHM', {
  shownBy: 'webhooks.manage',
  judges: {
    async 'WHM-1'(trial) {
      const { id, url } = await register(trial);
      const listed = await trial.list('seller', 'GET /v1/webhooks?limit=100');
      const found = listed.find((webhook) => webhook.id === id) ?? {};
      for (const webhook of [found, await trial.object('seller', `GET /v1/webhooks/${id}`)]) {
        trial.expect(webhook.url === url, `Its URL is ${webhook.url}.`);
        const shown = JSON.stringify(webhook.events);
        trial.expect(shown === JSON.stringify(events), `Its events are ${shown}.`);
      }
    },
    async 'WHM-2'(trial) {
      const { id } = await register(trial);
      const listed = await trial.list('stranger', 'GET /v1/webhooks?limit=100');
      trial.expect(!listed.some((webhook) => webhook.id === id), 'The stranger lists it.');
      const body = { status: 'paused' };
      await trial.rejected('stranger', `GET /v1/webhooks/${id}`);
      await trial.rejected('stranger', `PATCH /v1/webhooks/${id}`, { body });
      await trial.rejected('stranger', `DELETE /v1/webhooks/${id}`);
      const { status } = await trial.object('seller', `GET /v1/webhooks/${id}`);
      trial.expect(status === 'active', `The webhook is ${status}.`);
    },
    async 'WHM-3'(trial) {
      const hook = await register(trial);
      for (const call of [
        await trial.accepted('seller', 'GET /v1/webhooks?limit=100'),
        await trial.accepted('seller', `GET /v1/webhooks/${hook.id}`),
        await patch(trial, hook, { events: ['order.created'] }),
      ]) {
        const text = call.response?.body.toString() ?? '';
        trial.expect(!text.includes(hook.secret), `The response to ${call.method} has it.`);
      }
    },
    async 'WHM-4'(trial) {
      const hook = await register(trial);
      await patch(trial, hook, { status: 'paused' });
      const order = await expectSilence(trial, hook, 'It arrived during the pause.');
      await patch(trial, hook, { status: 'active' });
      await trial.arrival(hook, order);
    },
    async 'WHM-5'(trial) {
      const hook = await register(trial);
      await patch(trial, hook, { status: 'paused' });
      const order = await trial.order();
      await trial.change(order);
      const name = `${hook.name}moved`;
      const url = trial.run.receiver.behave(name, 204);
      await patch(trial, hook, { url });
      await patch(trial, hook, { status: 'active' });
      await trial.arrival({ name, url }, order);
      trial.expect(trial.arrivals(hook, order).length === 0, 'The old URL got it too.');
    },
    async 'WHM-6'(trial) {
      const hook = await register(trial);
      await trial.accepted('seller', `DELETE /v1/webhooks/${hook.id}`);
      await trial.rejected('seller', `GET /v1/webhooks/${hook.id}`);
      await expectSilence(trial, hook, 'A delivery arrived.');
    },
    async 'WHM-7'(trial) {
      const hook = await register(trial);
      const staged = await stage(trial, hook);
      const before = await deliver(trial, hook);
      for (const [which, secret] of [
        ['current', hook.secret],
        ['staged', staged],
      ] as const) {
        const isThere = standardSignatures(before).includes(standardSignature(before, secret));
        trial.expect(isThere, `webhook-signature has none by the ${which} secret.`);
      }
      expectSignature(trial, before, hook.secret, 'current');
      await trial.accepted('seller', `POST /v1/webhooks/${hook.id}/secret/promote`);
      const after = await deliver(trial, hook);
      expectSignature(trial, after, staged, 'promoted');
      const isAlone = headerIn(after, 'webhook-signature') === standardSignature(after, staged);
      trial.expect(isAlone, 'webhook-signature is not by the promoted secret alone.');
    },
    async 'WHM-8'(trial) {
      const hook = await trial.hook('stranger', events);
      const body = { event: 'order.status_changed' };
      const path = `POST /v1/webhooks/${hook.id}/test`;
      const sent = await trial.object('stranger', path, { body });
      trial.expect(sent.test === true, 'The response does not say test: true.');
      const delivery = await trial.arrival(hook, undefined);
      expectSignature(trial, delivery, hook.secret, 'current');
      const mark = headerIn(delivery, 'tradepost-test');
      trial.expect(mark === 'true', `Tradepost-Test is ${mark}.`);
      const { orderId } = eventData(delivery);
      const isMarked = String(orderId).startsWith('ord_TradepostTest');
      trial.expect(isMarked, `Its orderId is ${orderId}.`);
      const notifications = await trial.list('stranger', 'GET /v1/notifications');
      const isListed = notifications.some((notification) => notification.orderId === orderId);
      trial.expect(!isListed, 'A notification has its order.');
      if (!trial.offer.names.has('events')) return;
      const log = await trial.list('stranger', `GET /v1/events?orderId=${orderId}`);
      trial.expect(log.length === 0, 'The event log has it.');
    },
  },
});
