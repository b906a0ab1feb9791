import { type EventType, eventTypes, webhookDetailsSchema } from '@tradepost/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assertWithinLimit,
  promoteSecret,
  resetHealth,
  shouldResetBackoff,
  stageSecret,
  toCreatedWebhookResponse,
  toWebhookDetailsResponse,
  toWebhookResponse,
  updateWebhook,
  type Webhook,
} from '../../src/webhooks/webhook';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aWebhook, noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const later = noon + 1_000;

function update(webhook: Webhook, changes: Parameters<typeof updateWebhook>[1], now = later) {
  return updateWebhook(webhook, changes, strictWebhookPolicy, now);
}

describe('a change of a webhook', () => {
  test.each([
    { url: 'https://elsewhere.example/' },
    { events: ['task.completed'] as EventType[] },
    { status: 'paused' as const },
    { description: 'Warehouse', attemptsPerMinute: 60 },
    { headers: { Authorization: 'Bearer 1' }, headerNames: ['Authorization'] },
    {
      url: 'https://elsewhere.example/',
      events: ['task.completed'] as EventType[],
      status: 'paused' as const,
    },
  ])('updates %j, its timestamp, and nothing else', (changes) => {
    const webhook = aWebhook();
    expect(update(webhook, changes)).toEqual({ ...webhook, ...changes, updatedAt: later });
  });

  test('has no effect for current values, not even on the timestamp', () => {
    const webhook = aWebhook({ events: ['order.created', 'task.completed'] });
    const { url, status, description, headers, attemptsPerMinute } = webhook;
    const events: EventType[] = ['task.completed', 'order.created'];
    const settings = { description, headers: { ...headers }, attemptsPerMinute };
    for (const changes of [{ url }, { events }, { status }, settings, { url, events, status }]) {
      expect(update(webhook, changes)).toEqual(webhook);
    }
    expect(update(webhook, { url: 'HTTPS://RECEIVER.example:443/tradepost' })).toEqual(webhook);
  });

  test("stores its events in the contract's order, in whatever order they were requested", () => {
    const someKinds = fc.shuffledSubarray([...eventTypes], { minLength: 1 });
    fc.assert(
      fc.property(someKinds, (events) => {
        const expected = eventTypes.filter((kind) => events.includes(kind));
        expect(update(aWebhook(), { events }).events).toEqual(expected);
      }),
    );
  });

  test('rejects a url that the policy forbids, and names it', () => {
    const domainError = catchDomainError(() => update(aWebhook(), { url: 'https://10.0.0.1/' }));
    expect(domainError.code).toBe('validation_failed');
    expect(domainError.issues?.map(({ path }) => path)).toEqual(['url']);
  });

  test('keeps a later timestamp when the clock was set back', () => {
    const webhook = aWebhook({ updatedAt: later });
    expect(update(webhook, { status: 'paused' }, noon).updatedAt).toBe(later);
    expect(stageSecret(webhook, 'whsec_b', noon)).toMatchObject({
      stagedAt: later,
      updatedAt: later,
    });
  });
});

describe('in the rotation of a secret,', () => {
  test('a staged secret exists beside the current one until it replaces it', () => {
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

  test('a new staged secret replaces an earlier one', () => {
    const staged = stageSecret(aWebhook(), 'whsec_b', later);
    const own = { stagedSecret: 'whsec_c', stagedAt: later + 1 };
    expect(stageSecret(staged, 'whsec_c', later + 1)).toMatchObject(own);
  });

  test('no promotion is possible without a staged secret', () => {
    const webhook = aWebhook();
    const domainError = catchDomainError(() => promoteSecret(webhook, later));
    expect(domainError.code).toBe('no_staged_secret');
    expect(domainError.message).toContain(`POST /v1/webhooks/${webhook.id}/secret`);
  });
});

describe('the limit on webhooks', () => {
  test('allows twenty', () => {
    expect(() => assertWithinLimit(19)).not.toThrow();
    expect(catchDomainError(() => assertWithinLimit(20)).code).toBe('webhook_limit_reached');
  });
});

describe('the reset of a backoff', () => {
  const webhook = aWebhook();
  const paused = aWebhook({ ...webhook, status: 'paused' });

  test.each([
    ['a new address', webhook, { ...webhook, url: 'https://elsewhere.example/' }, true],
    ['a resumption', paused, webhook, true],
    ['a pause', webhook, paused, false],
    ['other events', webhook, { ...webhook, events: ['task.completed' as const] }, false],
    ['a new secret', webhook, { ...webhook, stagedSecret: 'whsec_b' }, false],
    ['nothing', webhook, webhook, false],
  ])('%s', (_what, before, after, resets) => {
    expect(shouldResetBackoff(before, after)).toBe(resets);
    expect(resetHealth(before, after)).toEqual(resets ? { backoffUntil: 0, failingSince: 0 } : {});
  });

  test('of a paused webhook with a new address, which shows since when it failed until it is resumed', () => {
    const moved = { ...paused, url: 'https://elsewhere.example/' };
    expect(resetHealth(paused, moved)).toEqual({ backoffUntil: 0 });
  });
});

describe('the response of a webhook', () => {
  const health = {
    ...{ pending: 3, failures: 5, backoffUntil: noon + 5_000 },
    ...{ lastStatus: null, lastError: 'timeout', failingSince: noon - 60_000, failedAt: noon },
  };

  test('matches the contract, with its health and without a secret', () => {
    const staged = stageSecret(aWebhook(), 'whsec_b', noon);
    const shown = toWebhookDetailsResponse({ ...staged, health }, noon);
    expect(webhookDetailsSchema.strict().parse(shown)).toEqual(shown);
    expect(shown).toEqual({
      ...toWebhookResponse(staged),
      stagedSecretAt: new Date(noon).toISOString(),
      pendingDeliveries: 3,
      consecutiveFailures: 5,
      backoffUntil: new Date(noon + 5_000).toISOString(),
      lastStatus: null,
      lastError: 'timeout',
      failingSince: new Date(noon - 60_000).toISOString(),
      disabledAt: null,
    });
    expect(JSON.stringify(shown)).not.toContain('whsec_');
  });

  test('has no backoff that is over, no missing staged secret, and no time without failures', () => {
    const healthy = { ...health, failingSince: 0 };
    const shown = toWebhookDetailsResponse({ ...aWebhook(), health: healthy }, noon + 5_000);
    expect(shown).toMatchObject({ backoffUntil: null, stagedSecretAt: null, failingSince: null });
  });

  test('has its secret only on creation', () => {
    expect(toCreatedWebhookResponse(aWebhook({ secret: 'whsec_a' })).secret).toBe('whsec_a');
  });
});
