import { webhookEventSchema } from '@tradepost/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
import { signBody, signStandard } from '../../src/deliveries/sign';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { noon } from '../builders';
import { settle } from '../fake-clock';
import { answer, inTurn } from '../receiver';
import { DeliveryRig } from './delivery-rig';

let rig: DeliveryRig;

beforeEach(async () => {
  rig = await DeliveryRig.open();
});

describe('a worker', () => {
  test('delivers an event as soon as its change is committed', async () => {
    rig.start();
    const { receiver, webhook } = await rig.receiver(answer(204));
    await rig.place();
    const { body, headers } = await receiver.next();
    expect(webhookEventSchema.parse(JSON.parse(body.toString())).event).toBe('order.created');
    expect(headers['service-signature']).toBe(signBody(webhook.secret, body.toString()));
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1, status: 204 });
    expect(await rig.store.deliveries.nextDueAt()).toBeNull();
  });

  test('delivers each event of a change to each webhook', async () => {
    rig.start();
    const one = await rig.receiver(answer(200), ['order.created', 'task.approval_requested']);
    const other = await rig.receiver(answer(200), ['order.created']);
    await rig.place();
    for (let count = 0; count < 3; count += 1) await rig.recorded();
    expect([one.receiver.count, other.receiver.count]).toEqual([2, 1]);
  });

  test('tries again at the stored time: the same bytes and webhook-id, a new webhook-timestamp', async () => {
    rig.start();
    const { receiver, webhook } = await rig.receiver(inTurn(answer(500), answer(503), answer(200)));
    await rig.place();
    const first = await receiver.next();
    const failed = await rig.recorded();
    expect(failed).toMatchObject({ state: 'pending', number: 1, status: 500 });
    const due = Number(failed.nextAttemptAt);
    expect(due).toBeGreaterThanOrEqual(noon + 5_000);
    expect(await rig.store.deliveries.nextDueAt()).toBe(due);

    await rig.clock.advance(due - rig.clock.now() - 1);
    expect(receiver.count).toBe(1);
    await rig.clock.advance(1);
    const second = await receiver.next();
    await rig.recorded();
    await rig.advanceToNext();
    const third = await receiver.next();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 3 });

    const stamps = [first, second, third].map(({ headers }) =>
      Number(headers['webhook-timestamp']),
    );
    expect(stamps).toEqual([noon / 1_000, noon / 1_000 + 5, noon / 1_000 + 20]);
    const text = first.body.toString();
    for (const [index, { body, headers }] of [first, second, third].entries()) {
      expect(body.equals(first.body)).toBe(true);
      const id = String(first.headers['webhook-id']);
      expect(headers['webhook-id']).toBe(id);
      expect(headers['service-signature']).toBe(signBody(webhook.secret, text));
      expect(headers['webhook-signature']).toBe(
        signStandard(webhook.secret, id, stamps[index] ?? 0, text),
      );
    }
  });

  test('does not follow a redirect, and tries the same address again', async () => {
    rig.start();
    const elsewhere = await rig.receiver(answer(200), ['task.completed']);
    const location = { Location: `${elsewhere.receiver.origin}/` };
    const { receiver } = await rig.receiver(inTurn(answer(302, location), answer(200)));
    await rig.place();
    expect(await rig.recorded()).toMatchObject({ state: 'pending', status: 302 });
    await rig.advanceToNext();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
    expect([receiver.count, elsewhere.receiver.count]).toEqual([2, 0]);
  });

  test('leaves a receiver alone as long as it asked for', async () => {
    rig.start();
    const busy = answer(429, { 'Retry-After': '3600' });
    const { receiver } = await rig.receiver(inTurn(busy, answer(200)));
    await rig.place();
    const { nextAttemptAt } = await rig.recorded();
    expect(Number(nextAttemptAt)).toBeGreaterThanOrEqual(noon + 3_600_000);
    await rig.clock.advance(3_599_000);
    expect(receiver.count).toBe(1);
    await rig.advanceToNext();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
  });

  test.each([
    ['connection_reset', (rig: DeliveryRig) => rig.start()],
    ['forbidden_address', (rig: DeliveryRig) => rig.start({ policy: strictWebhookPolicy })],
  ])('takes %s for an outcome like any other, and tries again', async (error, start) => {
    start(rig);
    await rig.receiver((_response, request) => {
      request.socket.resetAndDestroy();
    });
    await rig.place();
    expect(await rig.recorded()).toMatchObject({ state: 'pending', status: null, error });
    await rig.advanceToNext();
    expect(await rig.recorded()).toMatchObject({ state: 'pending', number: 2, error });
  });

  test('gives up a receiver that hangs when the attempt has lasted its time', async () => {
    rig.start({ timeout: 50 });
    const { receiver } = await rig.receiver(inTurn(() => {}, answer(200)));
    await rig.place();
    expect(await rig.recorded()).toMatchObject({ state: 'pending', error: 'timeout' });
    await rig.advanceToNext();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
    expect(receiver.count).toBe(2);
  });

  test('is not kept from other receivers by one that hangs', async () => {
    rig.start();
    const hanging = await rig.receiver(() => {});
    const healthy = await rig.receiver(answer(200));
    for (let count = 0; count < 5; count += 1) await rig.place();
    for (let count = 0; count < 5; count += 1) {
      expect(await rig.recorded()).toMatchObject({ webhookId: healthy.webhook.id, status: 200 });
    }
    for (let count = 0; count < 4; count += 1) await hanging.receiver.next();
    await settle();
    expect(hanging.receiver.count).toBe(4);
  });

  test('tries a receiver that fails for a day 13 times, the last time before the deadline, and then no more', async () => {
    const worker = rig.start();
    const { receiver } = await rig.receiver(answer(500));
    await rig.place();
    const states: unknown[] = [(await rig.recorded()).state];
    while ((await rig.store.deliveries.nextDueAt()) !== null) {
      const due = await rig.skipToNext(worker);
      expect(due).toBeLessThan(noon + retryWindow);
      states.push((await rig.recorded()).state);
    }
    expect(states).toEqual([...Array.from({ length: 12 }, () => 'pending'), 'failed']);
    expect(rig.clock.now()).toBeGreaterThan(noon + retryWindow - 16_000);
    await rig.clock.advance(60_000);
    expect(receiver.count).toBe(13);
  });

  test('goes through a backlog larger than what it does at once', async () => {
    const { receiver } = await rig.receiver(answer(200));
    for (let count = 0; count < 150; count += 1) await rig.place();
    rig.start();
    for (let count = 0; count < 150; count += 1) {
      expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    }
    expect(receiver.count).toBe(150);
  });

  test('fills the place of an attempt that ended at once, without a timer', async () => {
    const answers: (() => void)[] = [];
    const { receiver } = await rig.receiver((response) => {
      answers.push(() => response.writeHead(200).end());
    });
    for (let count = 0; count < 7; count += 1) await rig.place();
    rig.start();
    for (let count = 0; count < 4; count += 1) await receiver.next();
    await settle();
    expect(receiver.count).toBe(4);
    answers.shift()?.();
    // Its own place, and one more that a success has earned.
    for (let count = 0; count < 2; count += 1) await receiver.next();
    await settle();
    expect(receiver.count).toBe(6);
    for (const release of answers.splice(0)) release();
    await receiver.next();
    answers.shift()?.();
  });

  test('logs what failed at level info, and what was delivered at level debug: there is much of it', async () => {
    rig.start();
    await rig.receiver(inTurn(answer(500), answer(200)));
    await rig.place();
    expect(await rig.recorded()).toMatchObject({ level: 30, state: 'pending' });
    await rig.advanceToNext();
    expect(await rig.recorded()).toMatchObject({ level: 20, state: 'delivered' });
  });

  test('tells a listener of each attempt, once it is recorded', async () => {
    const told: unknown[] = [];
    rig.start({
      onAttempt: (delivery, attempt, outcome) => {
        told.push([delivery.webhookId, attempt.status, outcome.number, outcome.state]);
      },
    });
    const { webhook } = await rig.receiver(inTurn(answer(503), answer(200)));
    await rig.place();
    await rig.recorded();
    await rig.advanceToNext();
    await rig.recorded();
    expect(told).toEqual([
      [webhook.id, 503, 1, 'pending'],
      [webhook.id, 200, 2, 'delivered'],
    ]);
  });

  test('sees what another process queued within a second', async () => {
    rig.start();
    const { receiver } = await rig.receiver(answer(200));
    await settle();
    await rig.beside().place({ now: noon });
    await settle();
    expect(receiver.count).toBe(0);
    await rig.clock.advance(1_000);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
  });

  test('never logs a secret, a signature or a body', async () => {
    rig.start();
    const { receiver, webhook } = await rig.receiver(inTurn(answer(500), answer(200)));
    await rig.place();
    const { headers, body } = await receiver.next();
    await rig.recorded();
    await rig.advanceToNext();
    await rig.recorded();
    const log = rig.book.text.join('');
    for (const hidden of [
      webhook.secret,
      String(headers['service-signature']),
      String(headers['webhook-signature']),
      body.toString(),
    ]) {
      expect(log).not.toContain(hidden);
      expect(log).not.toContain(JSON.stringify(hidden).slice(1, -1));
    }
  });
});
