import { type UpdateWebhook, webhookEventSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { fanOut } from '../../src/deliveries/delivery';
import { disableFailing, disableWebhook, shouldDisable } from '../../src/webhooks/disabling';
import { updateWebhook, type WebhookWithHealth } from '../../src/webhooks/webhook';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aContext, aWebhook, noon } from '../helpers/builders';
import { FakeClock } from '../helpers/fake-clock';

const day = 24 * 60 * 60 * 1000;
const failingSince = noon - 3 * day;

function aFailingWebhook(
  overrides: Partial<Omit<WebhookWithHealth, 'health'>> = {},
  health: Partial<WebhookWithHealth['health']> = {},
): WebhookWithHealth {
  const failing = { pending: 2, failures: 5, failingSince, failedAt: noon, backoffUntil: noon };
  const last = { lastStatus: 503, lastError: null };
  return { ...aWebhook(overrides), health: { ...failing, ...last, ...health } };
}

describe('an endpoint', () => {
  test.each<[string, WebhookWithHealth, boolean]>([
    ['that failed alone for three days is disabled', aFailingWebhook(), true],
    [
      'that failed a moment less is not',
      aFailingWebhook({}, { failingSince: failingSince + 1 }),
      false,
    ],
    ['that is not in backoff is not', aFailingWebhook({}, { failures: 4 }), false],
    ['that is paused is not', aFailingWebhook({ status: 'paused' }), false],
    // Nothing says that it would still fail.
    ['that got nothing since is not', aFailingWebhook({}, { failedAt: failingSince + 60 }), false],
    [
      'that was resumed and has not failed since is not',
      aFailingWebhook({}, { failingSince: 0 }),
      false,
    ],
  ])('%s', (_what, webhook, expected) => {
    expect(shouldDisable(webhook, 3 * day)).toBe(expected);
    const found = { webhook, orderId: 'ord_1' };
    expect(disableWebhook(found, 3 * day, aContext()) !== null).toBe(expected);
  });
});

describe('disabling a webhook', () => {
  const webhook = aFailingWebhook({ url: 'https://receiver.example:8443/hooks?key=4fQx' });
  const found = { webhook, orderId: 'ord_1' };
  const disabled = disableWebhook(found, 3 * day, aContext(noon + 5));

  test('pauses it until its account resumes it', () => {
    expect(disabled).toMatchObject({ webhookId: webhook.id, disabledAt: noon + 5 });
    const paused = { status: 'paused', disabledAt: noon + 5 } as const;
    const change = (changes: UpdateWebhook) =>
      updateWebhook({ ...webhook, ...paused }, changes, strictWebhookPolicy, noon + 9);
    expect(change({ description: 'Leith' })).toMatchObject(paused);
    expect(change({ status: 'active' })).toMatchObject({ status: 'active', disabledAt: null });
  });

  test('tells its account alone, in an event about no order', () => {
    const { event } = disabled ?? {};
    expect(event).toMatchObject({ recipients: [webhook.accountId], orderId: null, actorId: null });
    const body = JSON.parse(event?.body ?? '');
    expect(webhookEventSchema.parse(body)).toEqual(body);
    expect(body).toEqual({
      event: 'webhook.disabled',
      createdAt: '2026-11-21T12:00:00.005Z',
      data: {
        webhookId: webhook.id,
        url: webhook.url,
        failingSince: '2026-11-18T12:00:00.000Z',
        disabledAt: '2026-11-21T12:00:00.005Z',
        lastStatus: 503,
        lastError: null,
      },
    });
  });

  test('sends it to other webhooks only, and notifies with the order of the last failure', () => {
    const context = aContext(noon + 5);
    const event = disabled?.event;
    if (event === undefined) throw new Error('It was not disabled.');
    const { accountId } = webhook;
    const find = () => ['whk_2', webhook.id].map((webhookId) => ({ accountId, webhookId }));
    const { notifications, deliveries } = fanOut(event, find, () => true, context);
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual(['whk_2']);
    expect(notifications).toMatchObject([
      {
        accountId: webhook.accountId,
        type: 'webhook_disabled',
        orderId: 'ord_1',
        message: `Webhook ${webhook.id} (receiver.example:8443) is disabled: all attempts have failed since 2026-11-18T12:00:00.000Z, the last one with HTTP status 503. Repair the endpoint, then resume the webhook.`,
      },
    ]);
    const unknown = { ...event, notifiedOrderId: null };
    expect(
      fanOut(
        unknown,
        () => [],
        () => true,
        context,
      ).notifications,
    ).toEqual([]);
  });

  test.each([
    [null, 'timeout', 'with timeout.'],
    [200, 'incomplete_response', 'with HTTP status 200, incomplete_response.'],
    [null, null, 'with no response.'],
  ])('says why: status %s, error %s', (lastStatus, lastError, words) => {
    const other = { ...found, webhook: aFailingWebhook({}, { lastStatus, lastError }) };
    expect(disableWebhook(other, 3 * day, aContext())?.event.message).toContain(words);
  });
});

test('with 0 days, no endpoint is looked for', async () => {
  const unread = () => {
    throw new Error('It must not be called.');
  };
  const webhooks = { listFailing: unread, disableWebhook: unread };
  const settings = { webhooks, clock: new FakeClock(), newId: () => '', disableAfterDays: 0 };
  expect(await disableFailing(settings)).toEqual({ disabled: [], hasMore: false });
});
