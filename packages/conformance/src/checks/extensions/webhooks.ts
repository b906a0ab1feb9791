import { createHmac } from 'node:crypto';
import type { Delivery } from '../../receiver/receiver';
import { eventData } from '../../run/facts';
import { findSecret } from '../../run/run';
import type { JsonObject } from '../../service/call';
import { standardSignature } from './standard-webhooks';
import { family, type Hook, headerIn, type Trial, Unclear } from './trial';

const events = ['order.status_changed'];
const patch = (trial: Trial, { id }: Hook, body: JsonObject) =>
  trial.accepted('seller', `PATCH /v1/webhooks/${id}`, { body });

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

/** Changes an order and returns its delivery. */
async function deliver(trial: Trial, hook: Hook): Promise<Delivery> {
  const order = await trial.order();
  await trial.change(order);
  return trial.arrival(hook, order);
}

export const webhooks = family({
  isOffered: ({ names }) => names.has('webhooks.manage'),
  shownBy: 'webhooks.manage in Tradepost-Extensions',
  checks: [
    {
      id: 'WHM-1',
      title: 'Lists and returns a webhook as it was registered',
      method: 'Registers a webhook, lists webhooks and gets it. Fails if URL or events differ.',
      async judge(trial) {
        const { id, url } = await trial.hook('seller', events);
        const listed = await trial.list('seller', 'GET /v1/webhooks?limit=100');
        const found = listed.find((webhook) => webhook.id === id) ?? {};
        for (const webhook of [found, await trial.object('seller', `GET /v1/webhooks/${id}`)]) {
          trial.expect(webhook.url === url, `Its URL is ${webhook.url}.`);
          const shown = JSON.stringify(webhook.events);
          trial.expect(shown === JSON.stringify(events), `Its events are ${shown}.`);
        }
      },
    },
    {
      id: 'WHM-2',
      hides: true,
      title: 'Hides a webhook from other accounts',
      method:
        "Lists, gets, pauses and deletes the seller's webhook with the stranger's key. Fails if any works.",
      async judge(trial) {
        const { id } = await trial.hook('seller', events);
        const listed = await trial.list('stranger', 'GET /v1/webhooks?limit=100');
        trial.expect(!listed.some((webhook) => webhook.id === id), 'The stranger lists it.');
        const body = { status: 'paused' };
        await trial.rejected('stranger', `GET /v1/webhooks/${id}`);
        await trial.rejected('stranger', `PATCH /v1/webhooks/${id}`, { body });
        await trial.rejected('stranger', `DELETE /v1/webhooks/${id}`);
        const { status } = await trial.object('seller', `GET /v1/webhooks/${id}`);
        trial.expect(status === 'active', `The webhook is ${status}.`);
      },
    },
    {
      id: 'WHM-3',
      title: 'Shows the secret of a webhook in no later response',
      method: 'Gets, lists and updates a webhook. Fails if a response has its secret.',
      async judge(trial) {
        const hook = await trial.hook('seller', events);
        for (const call of [
          await trial.accepted('seller', 'GET /v1/webhooks?limit=100'),
          await trial.accepted('seller', `GET /v1/webhooks/${hook.id}`),
          await patch(trial, hook, { events: ['order.created'] }),
        ]) {
          const text = call.response?.body.toString() ?? '';
          trial.expect(!text.includes(hook.secret), `The response to ${call.method} has it.`);
        }
      },
    },
    {
      id: 'WHM-4',
      title: 'Holds deliveries of a paused webhook and sends them when it is resumed',
      method:
        'Pauses a webhook, changes an order and resumes it. Fails if a delivery arrives before, or none after.',
      async judge(trial) {
        const hook = await trial.hook('seller', events);
        const fence = await trial.hook('seller', events);
        await patch(trial, hook, { status: 'paused' });
        const order = await trial.order();
        await trial.change(order);
        await trial.arrival(fence, order);
        await trial.quiet();
        trial.expect(trial.arrivals(hook, order).length === 0, 'It arrived during the pause.');
        await patch(trial, hook, { status: 'active' });
        await trial.arrival(hook, order);
      },
    },
    {
      id: 'WHM-5',
      title: 'Sends waiting deliveries to the new URL of a webhook',
      method:
        'Pauses a webhook, changes an order, sets another URL and resumes it. Fails unless that URL gets it.',
      async judge(trial) {
        const hook = await trial.hook('seller', events);
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
    },
    {
      id: 'WHM-6',
      title: 'Sends nothing to a deleted webhook',
      method:
        'Deletes a webhook and changes an order. Fails if a delivery arrives, or if the webhook can still be read.',
      async judge(trial) {
        const hook = await trial.hook('seller', events);
        const fence = await trial.hook('seller', events);
        await trial.accepted('seller', `DELETE /v1/webhooks/${hook.id}`);
        await trial.rejected('seller', `GET /v1/webhooks/${hook.id}`);
        const order = await trial.order();
        await trial.change(order);
        await trial.arrival(fence, order);
        await trial.quiet();
        trial.expect(trial.arrivals(hook, order).length === 0, 'A delivery arrived.');
      },
    },
  ],
});

export const secrets = family({
  isOffered: ({ names }) => names.has('webhooks.secrets') || names.has('webhooks.test'),
  shownBy: 'webhooks.secrets or webhooks.test in Tradepost-Extensions',
  checks: [
    {
      id: 'WHM-7',
      title: 'Signs with both secrets while one is staged, and with it alone once it is promoted',
      method:
        'Stages a secret, changes an order, promotes the secret and changes another order. Fails unless webhook-signature has first a signature by each secret and then one by the new one, and Service-Signature is first by the old one and then by the new one.',
      needs: 'webhooks.secrets',
      async judge(trial) {
        const hook = await trial.hook('seller', events);
        const staged = await stage(trial, hook);
        const before = await deliver(trial, hook);
        const signatures = headerIn(before, 'webhook-signature')?.split(' ') ?? [];
        for (const [which, secret] of [
          ['current', hook.secret],
          ['staged', staged],
        ] as const) {
          const isThere = signatures.includes(standardSignature(before, secret));
          trial.expect(isThere, `webhook-signature has none by the ${which} secret.`);
        }
        expectSignature(trial, before, hook.secret, 'current');
        await trial.accepted('seller', `POST /v1/webhooks/${hook.id}/secret/promote`);
        const after = await deliver(trial, hook);
        expectSignature(trial, after, staged, 'promoted');
        const isAlone = headerIn(after, 'webhook-signature') === standardSignature(after, staged);
        trial.expect(isAlone, 'webhook-signature is not by the promoted secret alone.');
      },
    },
    {
      id: 'WHM-8',
      title: 'Signs a test event, marks it, and lists it nowhere',
      method:
        'Requests a test event. Fails unless it is signed, with Tradepost-Test: true and TradepostTest in its orderId, or if notifications or, where offered, the event log have its order.',
      needs: 'webhooks.test',
      async judge(trial) {
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
  ],
});
