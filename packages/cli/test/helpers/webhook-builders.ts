import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AccountEvent,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  WebhookDetails,
} from '@tradepost/sdk';
import { sampleEvent } from '@tradepost/sdk/testing';
import { onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';

const at = '2026-11-21T09:30:00.000Z';

/** A webhook with every field; a test names those it is about. */
export function aWebhook(fields: Partial<WebhookDetails> = {}): WebhookDetails {
  return {
    id: 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
    url: 'https://receiver.example/tradepost',
    events: ['order.created'],
    status: 'active',
    description: null,
    headerNames: [],
    attemptsPerMinute: null,
    createdAt: at,
    updatedAt: at,
    stagedSecretAt: null,
    pendingDeliveries: 0,
    consecutiveFailures: 0,
    backoffUntil: null,
    lastStatus: null,
    lastError: null,
    failingSince: null,
    disabledAt: null,
    ...fields,
  };
}

/** A failed delivery with every field; a test names those it is about. */
export function aDelivery(fields: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
    webhookId: 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
    eventId: 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GV',
    event: 'order.created',
    orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
    state: 'failed',
    test: false,
    attemptCount: 11,
    lastStatus: 500,
    lastError: null,
    nextAttemptAt: null,
    deadlineAt: '2026-11-22T09:30:00.000Z',
    createdAt: at,
    finishedAt: '2026-11-22T09:30:00.000Z',
    ...fields,
  };
}

/** An attempt with every field; a test names those it is about. */
export function anAttempt(fields: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return {
    number: 11,
    startedAt: '2026-11-22T09:29:45.000Z',
    durationMs: 120,
    url: 'https://receiver.example/tradepost',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Tradepost/0.1.0',
      'Service-Signature': 'ab'.repeat(32),
      'webhook-id': 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GV',
    },
    status: 500,
    error: null,
    responseSnippet: 'oh no',
    ...fields,
  };
}

/** A delivery with its body and its log; a test names what it is about. */
export function aDeliveryRecord(fields: Partial<DeliveryDetails> = {}): DeliveryDetails {
  return {
    ...aDelivery(),
    body: JSON.stringify(sampleEvent('order.created')),
    attempts: [anAttempt()],
    ...fields,
  };
}

/** An event of an account, by a number that tells it from others. */
export function anEvent(
  number: number,
  event: 'order.created' | 'task.completed' = 'order.created',
) {
  return { id: `evt_${number}`, ...sampleEvent(event) } satisfies AccountEvent;
}

/** A folder that goes with the test. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A post as a receiver got it. */
export interface Arrival {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Starts a receiver on a real socket that ends with the test. */
export async function aReceiver(
  reply: (arrival: Arrival, number: number) => number = () => 204,
): Promise<{ url: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const arrival = { headers: request.headers, body: Buffer.concat(chunks) };
    arrivals.push(arrival);
    response.writeHead(reply(arrival, arrivals.length), { connection: 'close' }).end();
  });
  onTestFinished(() => server.close());
  return { url: `${server.url}/hook`, arrivals };
}
