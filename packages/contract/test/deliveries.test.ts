import { describe, expect, test } from 'vitest';
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetails,
  deliveryAttemptSchema,
  deliveryDetailsSchema,
  deliverySchema,
} from '../src/index';
import { complaints } from './complaints';

const at = '2026-11-21T09:30:00.000Z';

function aDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_1',
    webhookId: 'whk_1',
    eventId: 'evt_1',
    event: 'order.created',
    state: 'pending',
    test: false,
    attempts: 0,
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
    duration: 12,
    url: 'https://receiver.example/tradepost',
    headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' },
    status: 503,
    error: null,
    excerpt: 'Try again later.',
    ...overrides,
  };
}

describe('a delivery', () => {
  test.each<[string, Partial<Delivery>]>([
    ['that waits for its first attempt', {}],
    ['that waits for another', { attempts: 2, lastStatus: 503 }],
    ['that got no answer', { attempts: 1, lastError: 'timeout' }],
    ['whose answer broke off', { attempts: 1, lastStatus: 500, lastError: 'connection_reset' }],
    [
      'that was delivered',
      { state: 'delivered', attempts: 1, lastStatus: 204, nextAttemptAt: null, finishedAt: at },
    ],
    [
      'that failed without an attempt',
      { state: 'failed', nextAttemptAt: null, finishedAt: '2026-11-22T09:30:00.000Z' },
    ],
    ['that carries a sample', { test: true }],
  ])('is read %s', (_, overrides) => {
    expect(deliverySchema.parse(aDelivery(overrides))).toEqual(aDelivery(overrides));
  });

  test('needs each of its fields', () => {
    for (const name of Object.keys(aDelivery())) {
      const refused = deliverySchema.safeParse({ ...aDelivery(), [name]: undefined });
      expect(refused.error?.issues).toMatchObject([{ path: [name] }]);
    }
  });

  test('is in one of three states', () => {
    expect(complaints(deliverySchema, { ...aDelivery(), state: 'retrying' })).toEqual([
      'state: must be one of pending, delivered, failed',
    ]);
  });

  test('may gain fields that this version does not know', () => {
    expect(deliverySchema.parse({ ...aDelivery(), region: 'eu' })).toEqual(aDelivery());
  });
});

describe('the details of a delivery', () => {
  const details = (overrides: Partial<DeliveryDetails> = {}): DeliveryDetails => ({
    ...aDelivery({ attempts: 2, lastError: 'connection_refused' }),
    body: '{"event":"order.created","createdAt":"2026-11-21T09:30:00.000Z","data":{}}',
    attemptLog: [
      anAttempt(),
      anAttempt({ number: 2, status: null, error: 'connection_refused', excerpt: '' }),
    ],
    ...overrides,
  });

  test('have the body as it is sent and the attempts as they were made', () => {
    expect(deliveryDetailsSchema.parse(details())).toEqual(details());
    expect(deliveryDetailsSchema.parse(details({ attemptLog: [] })).attemptLog).toEqual([]);
  });

  test('keep the body as it is, whatever is in it', () => {
    const body = ' {"é":"\u0000"}\n';
    expect(deliveryDetailsSchema.parse(details({ body })).body).toBe(body);
  });

  test('say where a fault is in the attempts', () => {
    const attemptLog = [anAttempt(), anAttempt({ number: 0 })];
    const refused = deliveryDetailsSchema.safeParse(details({ attemptLog }));
    expect(refused.error?.issues).toMatchObject([{ path: ['attemptLog', 1, 'number'] }]);
  });
});

describe('an attempt', () => {
  test('has its headers by name, each a text', () => {
    expect(deliveryAttemptSchema.parse(anAttempt({ headers: {} })).headers).toEqual({});
    const headers = { 'Content-Length': 7 };
    expect(complaints(deliveryAttemptSchema, { ...anAttempt(), headers })).toHaveLength(1);
  });

  test('was answered with a status or not at all', () => {
    expect(complaints(deliveryAttemptSchema, anAttempt({ status: null }))).toEqual([]);
    for (const status of [0, 99, 1000, 200.5]) {
      expect(complaints(deliveryAttemptSchema, anAttempt({ status }))).toHaveLength(1);
    }
  });
});
