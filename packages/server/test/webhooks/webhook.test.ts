import { createdWebhookSchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import {
  newEndpointSecret,
  presentCreatedWebhook,
  registerWebhook,
} from '../../src/webhooks/webhook';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aCaller, aMoment, noon } from '../builders';
import { refusalOf } from '../refusal';

const secret = newEndpointSecret();

describe('registering a webhook', () => {
  test('it is active, belongs to the caller, and subscribes to what was asked for', () => {
    const caller = aCaller({ kind: 'seller' });
    const webhook = registerWebhook(
      caller,
      {
        url: 'https://receiver.example/a',
        events: ['order.created', 'task.completed'],
      },
      strictWebhookPolicy,
      secret,
      aMoment(),
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
      createdAt: noon,
      updatedAt: noon,
    });
    const shown = presentCreatedWebhook(webhook);
    expect(createdWebhookSchema.parse(shown)).toEqual(shown);
  });

  test('a URL that the policy forbids is not registered', () => {
    const wish = { url: 'https://10.0.0.1/', events: ['order.created' as const] };
    const refusal = refusalOf(() =>
      registerWebhook(aCaller(), wish, strictWebhookPolicy, secret, aMoment()),
    );
    expect(refusal.code).toBe('validation_failed');
  });

  test('a secret is whsec_ and the base64 of 32 random bytes', () => {
    const secrets = Array.from({ length: 100 }, newEndpointSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const text of secrets) {
      expect(text).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
      expect(Buffer.from(text.slice('whsec_'.length), 'base64')).toHaveLength(32);
    }
  });
});
