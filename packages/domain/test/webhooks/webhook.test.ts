import { createdWebhookSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import {
  createEndpointSecret,
  createWebhook,
  toCreatedWebhookResponse,
} from '../../src/webhooks/webhook';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aCaller, aContext, noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const secret = createEndpointSecret();

describe('on the registration of a webhook,', () => {
  test('the webhook is active, belongs to the caller, and has the requested subscriptions', () => {
    const caller = aCaller({ kind: 'seller' });
    const webhook = createWebhook(
      caller,
      {
        url: 'https://receiver.example/a',
        events: ['order.created', 'task.completed'],
      },
      strictWebhookPolicy,
      secret,
      aContext(),
    );
    expect(webhook).toEqual({
      id: expect.stringMatching(/^whk_/),
      accountId: caller.accountId,
      url: 'https://receiver.example/a',
      events: ['order.created', 'task.completed'],
      status: 'active',
      secret,
      stagedSecret: null,
      stagedAt: null,
      description: null,
      headers: {},
      headerNames: [],
      attemptsPerMinute: null,
      disabledAt: null,
      createdAt: noon,
      updatedAt: noon,
    });
    const shown = toCreatedWebhookResponse(webhook);
    expect(createdWebhookSchema.parse(shown)).toEqual(shown);
  });

  test('a URL that the policy forbids is not registered', () => {
    const wish = { url: 'https://10.0.0.1/', events: ['order.created' as const] };
    const domainError = catchDomainError(() =>
      createWebhook(aCaller(), wish, strictWebhookPolicy, secret, aContext()),
    );
    expect(domainError.code).toBe('validation_failed');
  });

  test('a secret is whsec_ and the base64 of 32 random bytes', () => {
    const secrets = Array.from({ length: 100 }, createEndpointSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const text of secrets) {
      expect(text).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
      expect(Buffer.from(text.slice('whsec_'.length), 'base64')).toHaveLength(32);
    }
  });
});
