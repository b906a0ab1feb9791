import { type EventKind, eventKinds, webhookDetailsSchema } from '@tradepost/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isMended,
  presentCreatedWebhook,
  presentWebhook,
  promoteSecret,
  requireRoom,
  stageSecret,
  updateWebhook,
  type Webhook,
} from '../../src/webhooks/webhook';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { presentWatchedWebhook } from '../../src/webhooks/webhook-traffic';
import { aWebhook, noon } from '../builders';
import { refusalOf } from '../refusal';

const later = noon + 1_000;

function update(webhook: Webhook, changes: Parameters<typeof updateWebhook>[1], now = later) {
  return updateWebhook(webhook, changes, strictWebhookPolicy, now);
}

describe('changing a webhook', () => {
  test.each([
    { url: 'https://elsewhere.example/' },
    { events: ['task.completed'] as EventKind[] },
    { status: 'paused' as const },
    {
      url: 'https://elsewhere.example/',
      events: ['task.completed'] as EventKind[],
      status: 'paused' as const,
    },
  ])('changes %j, its time, and nothing else', (changes) => {
    const webhook = aWebhook();
    expect(update(webhook, changes)).toEqual({ ...webhook, ...changes, updatedAt: later });
  });

  test('what it is already is no change, not even of its time', () => {
    const webhook = aWebhook({ events: ['order.created', 'task.completed'] });
    const { url, status } = webhook;
    const events: EventKind[] = ['task.completed', 'order.created'];
    for (const changes of [{ url }, { events }, { status }, { url, events, status }]) {
      expect(update(webhook, changes)).toEqual(webhook);
    }
    expect(update(webhook, { url: 'HTTPS://RECEIVER.example:443/tradepost' })).toEqual(webhook);
  });

  test("its events stand in the contract's order, in whatever order they were asked for", () => {
    const someKinds = fc.shuffledSubarray([...eventKinds], { minLength: 1 });
    fc.assert(
      fc.property(someKinds, (events) => {
        const expected = eventKinds.filter((kind) => events.includes(kind));
        expect(update(aWebhook(), { events }).events).toEqual(expected);
      }),
    );
  });

  test('a url that the policy forbids is refused by its name', () => {
    const refusal = refusalOf(() => update(aWebhook(), { url: 'https://10.0.0.1/' }));
    expect(refusal.code).toBe('validation_failed');
    expect(refusal.issues?.map(({ path }) => path)).toEqual(['url']);
  });

  test('a clock that was set back does not make it older', () => {
    const webhook = aWebhook({ updatedAt: later });
    expect(update(webhook, { status: 'paused' }, noon).updatedAt).toBe(later);
    expect(stageSecret(webhook, 'whsec_b', noon)).toMatchObject({
      stagedAt: later,
      updatedAt: later,
    });
  });
});

describe('rotating its secret', () => {
  test('a staged secret waits beside the current one, until it takes its place', () => {
    const webhook = aWebhook({ secret: 'whsec_a' });
    const staged = stageSecret(webhook, 'whsec_b', later);
    const own = { stagedSecret: 'whsec_b', stagedAt: later, updatedAt: later };
    expect(staged).toEqual({ ...webhook, ...own });
    expect(promoteSecret(staged, later + 1)).toEqual({
      ...webhook,
      secret: 'whsec_b',
      updatedAt: later + 1,
    });
  });

  test('another one takes the place of one that was staged', () => {
    const staged = stageSecret(aWebhook(), 'whsec_b', later);
    const own = { stagedSecret: 'whsec_c', stagedAt: later + 1 };
    expect(stageSecret(staged, 'whsec_c', later + 1)).toMatchObject(own);
  });

  test('nothing can be promoted where none is staged', () => {
    const webhook = aWebhook();
    const refusal = refusalOf(() => promoteSecret(webhook, later));
    expect(refusal.code).toBe('no_staged_secret');
    expect(refusal.message).toContain(`POST /v1/webhooks/${webhook.id}/secret`);
  });
});

describe('room for webhooks', () => {
  test('there is room for twenty', () => {
    expect(() => requireRoom(19)).not.toThrow();
    expect(refusalOf(() => requireRoom(20)).code).toBe('webhook_limit_reached');
  });
});

describe('what mends an endpoint', () => {
  const webhook = aWebhook();
  const paused = aWebhook({ ...webhook, status: 'paused' });

  test.each([
    ['a new address', webhook, { ...webhook, url: 'https://elsewhere.example/' }, true],
    ['a resumption', paused, webhook, true],
    ['a pause', webhook, paused, false],
    ['other events', webhook, { ...webhook, events: ['task.completed' as const] }, false],
    ['a new secret', webhook, { ...webhook, stagedSecret: 'whsec_b' }, false],
    ['nothing', webhook, webhook, false],
  ])('%s', (_what, before, after, mends) => {
    expect(isMended(before, after)).toBe(mends);
  });
});

describe('what is shown of a webhook', () => {
  const traffic = { pending: 3, failures: 5, heldUntil: noon + 5_000 };

  test('is what the contract says, with how its deliveries fare and never a secret', () => {
    const staged = stageSecret(aWebhook(), 'whsec_b', noon);
    const shown = presentWatchedWebhook({ ...staged, traffic }, noon);
    expect(webhookDetailsSchema.strict().parse(shown)).toEqual(shown);
    expect(shown).toEqual({
      ...presentWebhook(staged),
      stagedSecretAt: new Date(noon).toISOString(),
      pendingDeliveries: 3,
      consecutiveFailures: 5,
      heldUntil: new Date(noon + 5_000).toISOString(),
    });
    expect(JSON.stringify(shown)).not.toContain('whsec_');
  });

  test('tells of no hold that is over, and of no secret that is not staged', () => {
    const shown = presentWatchedWebhook({ ...aWebhook(), traffic }, noon + 5_000);
    expect(shown).toMatchObject({ heldUntil: null, stagedSecretAt: null });
  });

  test('tells its secret when it has just been registered', () => {
    expect(presentCreatedWebhook(aWebhook({ secret: 'whsec_a' })).secret).toBe('whsec_a');
  });
});
