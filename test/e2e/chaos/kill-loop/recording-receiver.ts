import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@tradepost/sdk/webhooks';
import type { SeededRandom } from '../../../helpers/seeded-random';
import type { Activity } from './kill-moment';
import type { Arrival, Diary } from './operation-log';

/** What a receiver does at its worst: it acknowledges everything else at once. */
export type Temper = 'steady' | 'refusing' | 'slow';

/** What all receivers share. */
export interface ReceiverParts {
  diary: Diary;
  activity: Activity;
  random: SeededRandom;
  /** The present run of the server. */
  currentRun: () => number;
  /** Told of each delivery that was acknowledged. */
  onAcknowledged: (arrival: Arrival) => void;
}

/** What a receiver needs to know of its webhook. */
interface Registered {
  id: string;
  /** The endpoint secret. */
  secret: string;
}

/** How often one delivery is refused at most: a third retry would come too late for a short loop. */
const refusalsAtMost = 2;

/** An endpoint that notes what it gets, and makes its sender's life hard until it is told to calm down. */
export class RecordingReceiver {
  readonly url: string;
  readonly #server: Server;
  readonly #parts: ReceiverParts;
  readonly #temper: Temper;
  readonly #refusals = new Map<string, number>();
  #setWebhook: (webhook: Registered) => void = () => {};
  /** A delivery may come before the answer to the registration, which a kill can delay. */
  readonly #webhook = new Promise<Registered>((done) => {
    this.#setWebhook = done;
  });
  #refusedLast = false;
  #calm = false;
  #calmDown: () => void = () => {};
  readonly #calmed = new Promise<void>((done) => {
    this.#calmDown = done;
  });

  private constructor(server: Server, temper: Temper, parts: ReceiverParts) {
    this.#server = server;
    this.#parts = parts;
    this.#temper = temper;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/deliveries`;
    server.on('request', (request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        // Killed in the middle of a request, its sender has sent nothing that counts.
        if (!request.complete) return;
        parts.diary.faults.push(`A receiver failed: ${error}`);
      });
    });
  }

  /** Opens one on a free port. */
  static async open(temper: Temper, parts: ReceiverParts): Promise<RecordingReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RecordingReceiver(server, temper, parts);
  }

  /** Tells it whose deliveries it gets. It answers none before. */
  isFor(webhook: Registered): void {
    this.#setWebhook(webhook);
  }

  /** Acknowledges everything from here on, and what it still holds. */
  calmDown(): void {
    this.#calm = true;
    this.#calmDown();
  }

  /** Ends it and all its connections. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { diary, activity, random, currentRun, onAcknowledged } = this.#parts;
    const run = currentRun();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const payload = Buffer.concat(chunks);
    const eventId = String(request.headers['webhook-id']);
    const { id: webhookId, secret } = await this.#webhook;
    const body = String(payload);
    const arrival: Arrival = { webhookId, eventId, body, run, cut: false, acknowledgedAt: null };
    diary.arrivals.push(arrival);
    activity.arrivals.up();
    const { headers } = request;
    await verifyWebhook({ payload, headers, secret, requireTimestamp: true }).catch((error) => {
      diary.faults.push(`${eventId} came to ${webhookId} with a bad signature: ${error}`);
    });

    if (this.#wantsToRefuse(eventId)) {
      arrival.cut = random.chance(0.25);
      if (arrival.cut) response.socket?.resetAndDestroy();
      else refuse(response, random);
      return;
    }
    this.#refusedLast = false;
    if (this.#temper === 'slow' && !this.#calm && random.chance(0.5)) {
      const answers = activity.answers.further(1 + random.below(40));
      await Promise.race([answers, once(response, 'close'), this.#calmed]);
    }
    response.once('finish', () => {
      arrival.acknowledgedAt = performance.now();
      activity.acknowledgements.up();
      onAcknowledged(arrival);
    });
    response.writeHead(204).end();
  }

  /** Never twice in a row: an endpoint that only fails would be left alone for a while, and rightly so. */
  #wantsToRefuse(eventId: string): boolean {
    const refusals = this.#refusals.get(eventId) ?? 0;
    if (this.#temper !== 'refusing' || this.#calm || this.#refusedLast) return false;
    if (refusals >= refusalsAtMost || !this.#parts.random.chance(0.3)) return false;
    this.#refusals.set(eventId, refusals + 1);
    this.#refusedLast = true;
    return true;
  }
}

function refuse(response: ServerResponse, random: SeededRandom): void {
  const how = random.pick(['error', 'busy', 'moved'] as const);
  if (how === 'error') response.writeHead(500).end('The receiver is out of sorts.');
  if (how === 'busy') response.writeHead(503, { 'Retry-After': '1' }).end();
  if (how === 'moved') response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end();
}
