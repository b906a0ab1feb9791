import { describe, expect, test } from 'vitest';
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetails,
  deliveryAttemptSchema,
  deliveryDetailsSchema,
  deliverySchema,
} from '../../src/index';
import { listIssues } from '../helpers/issues';

const at = '2026-11-21T09:30:00.000Z';

function aDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_1',
    webhookId: 'whk_1',
    eventId: 'evt_1',
    event: 'order.created',
    orderId: 'ord_1',
    state: 'pending',
    test: false,
    attemptCount: 0,
    lastStatus: null,
    lastError: null,
    nextAttemptAt: at,
    deadlineAt: '2026-11-22T09:30:00.000Z',
    createdAt: at,
    finishedAt: null,
    ...overrides,
  };
}

function anAttempt(overrides: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return {
    number: 1,
    startedAt: at,
    durationMs: 12,
    url: 'https://receiver.example/tradepost',
    headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' },
    status: 503,
    error: null,
    responseSnippet: 'Try again later.',
    ...overrides,
  };
}

describe('a delivery', () => {
  test.each<[string, Partial<Delivery>]>([
    ['waiting for its first attempt', {}],
    ['waiting for its next attempt', { attemptCount: 2, lastStatus: 503 }],
    ['without a response', { attemptCount: 1, lastError: 'timeout' }],
    [
      'with a truncated response',
      { attemptCount: 1, lastStatus: 500, lastError: 'connection_reset' },
    ],
    [
      'delivered',
      { state: 'delivered', attemptCount: 1, lastStatus: 204, nextAttemptAt: null, finishedAt: at },
    ],
    [
      'failed without an attempt',
      { state: 'failed', nextAttemptAt: null, finishedAt: '2026-11-22T09:30:00.000Z' },
    ],
    ['with a test event', { test: true, orderId: null }],
  ])('parses %s', (_, overrides) => {
    expect(deliverySchema.parse(aDelivery(overrides))).toEqual(aDelivery(overrides));
  });

  test('requires each of its fields', () => {
    for (const name of Object.keys(aDelivery())) {
      const rejected = deliverySchema.safeParse({ ...aDelivery(), [name]: undefined });
      expect(rejected.error?.issues).toMatchObject([{ path: [name] }]);
    }
  });

  test('rejects an unknown state', () => {
    expect(listIssues(deliverySchema, { ...aDelivery(), state: 'retrying' })).toEqual([
      'state: must be one of pending, delivered, failed',
    ]);
  });

  test('accepts unknown fields', () => {
    expect(deliverySchema.parse({ ...aDelivery(), region: 'eu' })).toEqual(aDelivery());
  });
});

describe('the details of a delivery', () => {
  const details = (overrides: Partial<DeliveryDetails> = {}): DeliveryDetails => ({
    ...aDelivery({ attemptCount: 2, lastError: 'connection_refused' }),
    body: '{"event":"order.created","createdAt":"2026-11-21T09:30:00.000Z","data":{}}',
    attempts: [
      anAttempt(),
      anAttempt({ number: 2, status: null, error: 'connection_refused', responseSnippet: '' }),
    ],
    ...overrides,
  });

  test('accept the body and the attempts, or no attempts', () => {
    expect(deliveryDetailsSchema.parse(details())).toEqual(details());
    expect(deliveryDetailsSchema.parse(details({ attempts: [] })).attempts).toEqual([]);
  });

  test('keep the body byte for byte', () => {
    const body = ' {"é":"\u0000"}\n';
    expect(deliveryDetailsSchema.parse(details({ body })).body).toBe(body);
  });

  test('report the position of an invalid attempt', () => {
    const attempts = [anAttempt(), anAttempt({ number: 0 })];
    const rejected = deliveryDetailsSchema.safeParse(details({ attempts }));
    expect(rejected.error?.issues).toMatchObject([{ path: ['attempts', 1, 'number'] }]);
  });
});

describe('an attempt', () => {
  test('has headers with text values', () => {
    expect(deliveryAttemptSchema.parse(anAttempt({ headers: {} })).headers).toEqual({});
    const headers = { 'Content-Length': 7 };
    expect(listIssues(deliveryAttemptSchema, { ...anAttempt(), headers })).toHaveLength(1);
  });

  test('has a valid HTTP status or null', () => {
    expect(listIssues(deliveryAttemptSchema, anAttempt({ status: null }))).toEqual([]);
    for (const status of [0, 99, 1000, 200.5]) {
      expect(listIssues(deliveryAttemptSchema, anAttempt({ status }))).toHaveLength(1);
    }
  });
});
