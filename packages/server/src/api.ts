import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock';
import { type Answered, describeAnswered } from './http/answered';
import { createApp } from './http/app';
import { handleClientErrors } from './http/client-errors';
import { Connections, requestTimeouts } from './http/connections';
import { withOriginForm } from './http/request-target';
import { createIds } from './ids';
import type { Store } from './store';
import type { WebhookPolicy } from './webhooks/webhook-policy';

const defaultMaxConnections = 10_000;

/** How the API is to be served. */
export interface ApiOptions {
  store: Store;
  log: Logger;
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** How many requests one API key may make in a minute. */
  rateLimit: number;
  /** How many connections may be open at once; 10,000 by default. */
  maxConnections?: number | undefined;
  /** Which endpoints may be registered. */
  webhookPolicy: WebhookPolicy;
  /** The machine's clock unless told. */
  clock?: Clock;
  /** Whether answers are held to the contract too: for tests, since it costs time. */
  checkAnswers?: boolean;
  /** Is told of each request once it is answered: what metrics are made of. */
  onAnswered?: ((answered: Answered) => void) | undefined;
}

/** The API while it is served. */
export interface Api {
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  url: string;
  port: number;
  /** Answers what has been asked, `patience` milliseconds at most. Leaves the store open. */
  stop(patience: number): Promise<void>;
}

/** Serves the API. The promise fulfils once it accepts requests; it rejects when it cannot listen. */
export async function serveApi(options: ApiOptions): Promise<Api> {
  const { store, log, clock = systemClock, webhookPolicy } = options;
  let stopping = false;
  const {
    app,
    releaseWaits,
    stop: stopApp,
  } = createApp({
    store,
    clock,
    newId: createIds(),
    log,
    webhookPolicy,
    rateLimit: options.rateLimit,
    isStopping: () => stopping,
    checkAnswers: options.checkAnswers ?? false,
  });

  const listener = withOriginForm(app);
  const server = createServer({ requireHostHeader: false, ...requestTimeouts }, listener);
  const connections = new Connections(server, options.maxConnections ?? defaultMaxConnections, log);
  handleClientErrors(server, listener, clock, log);
  const { onAnswered } = options;
  server.on('request', (request, response) => {
    if (onAnswered) {
      response.once('finish', () => {
        try {
          onAnswered(describeAnswered(request, response));
        } catch (error) {
          log.error({ err: error }, 'could not count a request');
        }
      });
    }
    // A client that keeps its connection alive would hold up the stop until that times out.
    response.once('close', () => {
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    async stop(patience) {
      stopping = true;
      releaseWaits();
      const drained = new Promise((resolve) => server.close(resolve));
      const callOff = clock.after(patience, () => connections.destroyAll());
      server.closeIdleConnections();
      await drained;
      callOff();
      stopApp();
    },
  };
}
