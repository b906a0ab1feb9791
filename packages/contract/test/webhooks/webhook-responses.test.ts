import { describe, expect, test } from 'vitest';
import {
  createdWebhookSchema,
  type StagedSecret,
  stagedSecretSchema,
  type WebhookDetails,
  webhookDetailsSchema,
} from '../../src/index';
import { listIssues } from '../helpers/issues';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function someDetails(overrides: Partial<WebhookDetails> = {}): WebhookDetails {
  return {
    id: 'whk_1',
    url: 'https://receiver.example/tradepost',
    events: ['order.created'],
    status: 'active',
    description: null,
    headerNames: [],
    attemptsPerMinute: null,
    createdAt: '2026-11-21T09:30:00.000Z',
    updatedAt: '2026-11-21T09:30:00.000Z',
    stagedSecretAt: null,
    pendingDeliveries: 0,
    consecutiveFailures: 0,
    backoffUntil: null,
    lastStatus: null,
    lastError: null,
    failingSince: null,
    disabledAt: null,
    ...overrides,
  };
}

describe('the details of a webhook', () => {
  test.each([
    ['one that fares well', {}],
    ['one whose secret is being replaced', { stagedSecretAt: '2026-11-21T09:30:00.000Z' }],
    [
      'one that keeps failing',
      {
        pendingDeliveries: 1_000_000,
        consecutiveFailures: 9,
        backoffUntil: '2026-11-21T09:35:00Z',
        lastStatus: 401,
        failingSince: '2026-11-21T06:30:00Z',
      },
    ],
  ])('are read of %s', (_, overrides: Partial<WebhookDetails>) => {
    expect(webhookDetailsSchema.parse(someDetails(overrides))).toEqual(someDetails(overrides));
  });

  test('have integer counts from 0', () => {
    for (const name of ['pendingDeliveries', 'consecutiveFailures'] as const) {
      for (const count of [-1, 0.5]) {
        expect(listIssues(webhookDetailsSchema, someDetails({ [name]: count }))).toHaveLength(1);
      }
    }
  });

  test('drop unknown fields, such as a secret', () => {
    expect(webhookDetailsSchema.parse({ ...someDetails(), secret })).toEqual(someDetails());
  });
});

describe('a staged secret', () => {
  const staged: StagedSecret = {
    webhookId: 'whk_1',
    secret,
    stagedAt: '2026-11-21T09:30:00.000Z',
  };

  test('has the format of the secret of a registration', () => {
    expect(stagedSecretSchema.parse(staged)).toEqual(staged);
    expect(createdWebhookSchema.safeParse({ ...someDetails(), secret }).success).toBe(true);
  });

  test.each([['whsec_'], [secret.slice(6)], [`${secret}A`], [`whsec_${'A'.repeat(44)}`], ['']])(
    'rejects %j',
    (text) => {
      expect(listIssues(stagedSecretSchema, { ...staged, secret: text })).toHaveLength(1);
    },
  );
});
