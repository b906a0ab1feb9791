import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock';
import { DeliveryWorker } from './deliveries/delivery-worker';
import { createSender } from './deliveries/send';
import { createApp } from './http/app';
import { answerRawRequests } from './http/raw-requests';
import { createIds } from './ids';
import type { Store } from './store';
import { strictWebhookPolicy, type WebhookPolicy } from './webhooks/webhook-policy';

const patience = 5_000;

/** How a server is to run. */
export interface ServerOptions {
  /** Where everything is kept. The server closes it when it is closed. */
  store: Store;
  log: Logger;
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** How many requests one API key may make in a minute. */
  rateLimit: number;
  /** Which endpoints deliveries may go to; the strict policy unless told. */
  webhookPolicy?: WebhookPolicy;
  /** The machine's clock unless told. */
  clock?: Clock;
  /** Numbers from 0 to below 1 for the jitter of retries; `Math.random` unless told. */
  random?: () => number;
  /** Whether answers are held to the contract too: for tests, since it costs time. */
  checkAnswers?: boolean;
}

/** A server that accepts requests and makes deliveries. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  url: string;
  port: number;
  /** Answers what has been asked, ends what is under way, and closes the store. */
  close(): Promise<void>;
}

/** Starts a server. The promise fulfils once it accepts requests; it rejects when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { store, log, clock = systemClock, webhookPolicy = strictWebhookPolicy } = options;
  let stopping = false;

  const sender = createSender(webhookPolicy, clock);
  const random = options.random ?? Math.random;
  const worker = new DeliveryWorker({ deliveries: store.deliveries, sender, clock, log, random });
  const { app, stop: stopApp } = createApp({
    store,
    clock,
    newId: createIds(),
    log,
    webhookPolicy,
    rateLimit: options.rateLimit,
    isStopping: () => stopping,
    checkAnswers: options.checkAnswers ?? false,
  });

  const server = createServer({ requireHostHeader: false }, app);
  answerRawRequests(server, app, log);
  server.on('request', (_request, response) => {
    // A client that keeps its connection alive would hold up the stop until that times out.
    response.once('close', () => {
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  store.onDeliveriesQueued(() => worker.wake());
  // What an earlier run left in the queue is due too.
  worker.wake();

  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    stopping = true;
    const drained = new Promise((resolve) => server.close(resolve));
    const callOff = clock.after(patience, () => server.closeAllConnections());
    server.closeIdleConnections();
    await Promise.all([drained, worker.stop(patience)]);
    callOff();
    stopApp();
    await store.close();
  }
  return {
    url: `http://${host}:${port}`,
    port,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
