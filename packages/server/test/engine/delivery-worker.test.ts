import { webhookEventSchema } from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { settle } from '@tradepost/domain/test/fake-clock';
import { strictWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { beforeEach, describe, expect, test } from 'vitest';
import { signBody, signStandard } from '../../src/engine/attempt/delivery-headers';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveryHarness } from './delivery-harness';

let harness: DeliveryHarness;

beforeEach(async () => {
  harness = await DeliveryHarness.open();
});

describe('a worker', () => {
  test('delivers an event as soon as its change is committed', async () => {
    harness.start();
    const { receiver, webhook } = await harness.receiver(respond(204));
    await harness.place();
    const { body, headers } = await receiver.next();
    expect(webhookEventSchema.parse(JSON.parse(body.toString())).event).toBe('order.created');
    expect(headers['service-signature']).toBe(signBody(webhook.secret, body.toString()));
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1, status: 204 });
    expect(await harness.store.deliveries.nextDueAt()).toBeNull();
  });

  test('delivers each event of a change to each webhook', async () => {
    harness.start();
    const one = await harness.receiver(respond(200), ['order.created', 'task.approval_requested']);
    const other = await harness.receiver(respond(200), ['order.created']);
    await harness.place();
    for (let count = 0; count < 3; count += 1) await harness.recorded();
    expect([one.receiver.count, other.receiver.count]).toEqual([2, 1]);
  });

  test('retries at the stored time: with the same bytes and webhook-id, and a new webhook-timestamp', async () => {
    harness.start();
    const { receiver, webhook } = await harness.receiver(
      inTurn(respond(500), respond(503), respond(200)),
    );
    await harness.place();
    const first = await receiver.next();
    const failed = await harness.recorded();
    expect(failed).toMatchObject({ state: 'pending', number: 1, status: 500 });
    const due = Number(failed.nextAttemptAt);
    expect(due).toBeGreaterThanOrEqual(noon + 5_000);
    expect(await harness.store.deliveries.nextDueAt()).toBe(due);

    await harness.clock.advance(due - harness.clock.now() - 1);
    expect(receiver.count).toBe(1);
    await harness.clock.advance(1);
    const second = await receiver.next();
    await harness.recorded();
    await harness.advanceToNext();
    const third = await receiver.next();
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 3 });

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

  test('waits as long as a receiver requests', async () => {
    harness.start();
    const busy = respond(429, { 'Retry-After': '3600' });
    const { receiver } = await harness.receiver(inTurn(busy, respond(200)));
    await harness.place();
    const { nextAttemptAt } = await harness.recorded();
    expect(Number(nextAttemptAt)).toBeGreaterThanOrEqual(noon + 3_600_000);
    await harness.clock.advance(3_599_000);
    expect(receiver.count).toBe(1);
    await harness.advanceToNext();
    expect(await harness.recorded()).toMatchObject({ state: 'delivered' });
  });

  test.each([
    ['connection_reset', (harness: DeliveryHarness) => harness.start()],
    [
      'forbidden_address',
      (harness: DeliveryHarness) => harness.start({ policy: strictWebhookPolicy }),
    ],
  ])('treats %s as a failed attempt, and retries', async (error, start) => {
    start(harness);
    await harness.receiver((_response, request) => {
      request.socket.resetAndDestroy();
    });
    await harness.place();
    expect(await harness.recorded()).toMatchObject({ state: 'pending', status: null, error });
    await harness.advanceToNext();
    expect(await harness.recorded()).toMatchObject({ state: 'pending', number: 2, error });
  });

  test('delivers to other receivers while one hangs', async () => {
    harness.start();
    const hanging = await harness.receiver(() => {});
    const healthy = await harness.receiver(respond(200));
    for (let count = 0; count < 5; count += 1) await harness.place();
    for (let count = 0; count < 5; count += 1) {
      expect(await harness.recorded()).toMatchObject({
        webhookId: healthy.webhook.id,
        status: 200,
      });
    }
    for (let count = 0; count < 4; count += 1) await hanging.receiver.next();
    await settle();
    expect(hanging.receiver.count).toBe(4);
  });

  test('makes 13 attempts at a receiver that fails for a day, the last one before the deadline', async () => {
    const worker = harness.start();
    const { receiver } = await harness.receiver(respond(500));
    await harness.place();
    const states: unknown[] = [(await harness.recorded()).state];
    while ((await harness.store.deliveries.nextDueAt()) !== null) {
      const due = await harness.skipToNext(worker);
      expect(due).toBeLessThan(noon + retryWindowMs);
      states.push((await harness.recorded()).state);
    }
    expect(states).toEqual([...Array.from({ length: 12 }, () => 'pending'), 'failed']);
    expect(harness.clock.now()).toBeGreaterThan(noon + retryWindowMs - 16_000);
    await harness.clock.advance(60_000);
    expect(receiver.count).toBe(13);
  });

  test('delivers a backlog larger than its concurrency', async () => {
    const { receiver } = await harness.receiver(respond(200));
    for (let count = 0; count < 150; count += 1) await harness.place();
    harness.start();
    for (let count = 0; count < 150; count += 1) {
      expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    }
    expect(receiver.count).toBe(150);
  });

  test('reuses the slot of a finished attempt at once, without a timer', async () => {
    const pendingResponses: (() => void)[] = [];
    const { receiver } = await harness.receiver((response) => {
      pendingResponses.push(() => response.writeHead(200).end());
    });
    for (let count = 0; count < 7; count += 1) await harness.place();
    harness.start();
    for (let count = 0; count < 4; count += 1) await receiver.next();
    await settle();
    expect(receiver.count).toBe(4);
    pendingResponses.shift()?.();
    // Its own slot, and one more because a success raises the concurrency limit.
    for (let count = 0; count < 2; count += 1) await receiver.next();
    await settle();
    expect(receiver.count).toBe(6);
    for (const release of pendingResponses.splice(0)) release();
    await receiver.next();
    pendingResponses.shift()?.();
  });

  test('logs failures at level info, and the more frequent successes at level debug', async () => {
    harness.start();
    await harness.receiver(inTurn(respond(500), respond(200)));
    await harness.place();
    expect(await harness.recorded()).toMatchObject({ level: 30, state: 'pending' });
    await harness.advanceToNext();
    expect(await harness.recorded()).toMatchObject({ level: 20, state: 'delivered' });
  });

  test('notifies a listener of each attempt after it is recorded', async () => {
    const reported: unknown[] = [];
    harness.start({
      onAttempt: (delivery, attempt, outcome) => {
        reported.push([delivery.webhookId, attempt.status, outcome.number, outcome.state]);
      },
    });
    const { webhook } = await harness.receiver(inTurn(respond(503), respond(200)));
    await harness.place();
    await harness.recorded();
    await harness.advanceToNext();
    await harness.recorded();
    expect(reported).toEqual([
      [webhook.id, 503, 1, 'pending'],
      [webhook.id, 200, 2, 'delivered'],
    ]);
  });

  test('finds within a second what another process queued', async () => {
    harness.start();
    const { receiver } = await harness.receiver(respond(200));
    await settle();
    await harness.beside().place({ now: noon });
    await settle();
    expect(receiver.count).toBe(0);
    await harness.clock.advance(1_000);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered' });
  });

  test('never logs a secret, a signature or a body', async () => {
    harness.start();
    const { receiver, webhook } = await harness.receiver(inTurn(respond(500), respond(200)));
    await harness.place();
    const { headers, body } = await receiver.next();
    await harness.recorded();
    await harness.advanceToNext();
    await harness.recorded();
    const log = harness.logs.text.join('');
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
