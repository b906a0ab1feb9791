import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { verifyWebhook } from '@tradepost/sdk/webhooks';
import { closeServer, listenOnLoopback } from '../../../helpers/loopback';
import type { SeededRandom } from '../../../helpers/seeded-random';
import type { Activity } from './kill-point';
import type { Arrival, OperationLog } from './operation-log';

/** How a receiver behaves until it recovers. A failing or slow one still acknowledges some deliveries at once. */
export type Behavior = 'healthy' | 'failing' | 'slow';

/** Dependencies of every receiver. */
export interface ReceiverDependencies {
  log: OperationLog;
  activity: Activity;
  random: SeededRandom;
  /** Returns the current run of the server. */
  currentRun: () => number;
  /** Called for each delivery that was acknowledged. */
  onAcknowledged: (arrival: Arrival) => void;
}

/** The webhook of a receiver. */
interface RegisteredWebhook {
  id: string;
  /** The endpoint secret. */
  secret: string;
}

/** How often one delivery fails at most: a third retry would come too late for a short loop. */
const maxFailures = 2;

/** An endpoint that records what it gets. Until it recovers, it fails or responds slowly. */
export class RecordingReceiver {
  readonly url: string;
  readonly #server: Server;
  readonly #dependencies: ReceiverDependencies;
  readonly #behavior: Behavior;
  readonly #failures = new Map<string, number>();
  #setWebhook: (webhook: RegisteredWebhook) => void = () => {};
  /** A delivery may arrive before the response to the registration, which a kill can delay. */
  readonly #webhook = new Promise<RegisteredWebhook>((done) => {
    this.#setWebhook = done;
  });
  #failedLast = false;
  #isRecovered = false;
  #setRecovered: () => void = () => {};
  readonly #recovered = new Promise<void>((done) => {
    this.#setRecovered = done;
  });

  private constructor(
    server: Server,
    port: number,
    behavior: Behavior,
    dependencies: ReceiverDependencies,
  ) {
    this.#server = server;
    this.#dependencies = dependencies;
    this.#behavior = behavior;
    this.url = `http://127.0.0.1:${port}/deliveries`;
    server.on('request', (request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        // The server was killed in the middle of a request, so this is not a delivery.
        if (!request.complete) return;
        dependencies.log.violations.push(`A receiver failed: ${error}`);
      });
    });
  }

  /** Starts a receiver on a free port. */
  static async start(
    behavior: Behavior,
    dependencies: ReceiverDependencies,
  ): Promise<RecordingReceiver> {
    const server = createServer();
    const port = await listenOnLoopback(server);
    return new RecordingReceiver(server, port, behavior, dependencies);
  }

  /** Assigns the webhook. The receiver responds to no delivery before. */
  assignWebhook(webhook: RegisteredWebhook): void {
    this.#setWebhook(webhook);
  }

  /** Acknowledges everything from now on, and the responses that it has delayed. */
  recover(): void {
    this.#isRecovered = true;
    this.#setRecovered();
  }

  /** Stops the receiver and closes all its connections. */
  close(): Promise<void> {
    return closeServer(this.#server);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log, activity, random, currentRun, onAcknowledged } = this.#dependencies;
    const run = currentRun();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const payload = Buffer.concat(chunks);
    const eventId = String(request.headers['webhook-id']);
    const { id: webhookId, secret } = await this.#webhook;
    const body = String(payload);
    const arrival: Arrival = { webhookId, eventId, body, run, cut: false, acknowledgedAt: null };
    log.arrivals.push(arrival);
    activity.arrivals.increment();
    const { headers } = request;
    await verifyWebhook({ payload, headers, secret, requireTimestamp: true }).catch((error) => {
      log.violations.push(`${eventId} arrived at ${webhookId} with an invalid signature: ${error}`);
    });

    if (this.#shouldFail(eventId)) {
      arrival.cut = random.chance(0.25);
      if (arrival.cut) response.socket?.resetAndDestroy();
      else sendFailure(response, random);
      return;
    }
    this.#failedLast = false;
    if (this.#behavior === 'slow' && !this.#isRecovered && random.chance(0.5)) {
      const responses = activity.responses.waitForMore(1 + random.below(40));
      await Promise.race([responses, once(response, 'close'), this.#recovered]);
    }
    response.once('finish', () => {
      arrival.acknowledgedAt = performance.now();
      activity.acknowledgements.increment();
      onAcknowledged(arrival);
    });
    response.writeHead(204).end();
  }

  /** Never fails twice in a row: the server would rightly back off from an endpoint that only fails. */
  #shouldFail(eventId: string): boolean {
    const failures = this.#failures.get(eventId) ?? 0;
    if (this.#behavior !== 'failing' || this.#isRecovered || this.#failedLast) return false;
    if (failures >= maxFailures || !this.#dependencies.random.chance(0.3)) return false;
    this.#failures.set(eventId, failures + 1);
    this.#failedLast = true;
    return true;
  }
}

function sendFailure(response: ServerResponse, random: SeededRandom): void {
  const failure = random.pick(['error', 'unavailable', 'redirect'] as const);
  if (failure === 'error') response.writeHead(500).end('The receiver fails on purpose.');
  if (failure === 'unavailable') response.writeHead(503, { 'Retry-After': '1' }).end();
  if (failure === 'redirect') response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end();
}
