import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestLimits } from '@tradepost/contract/wire';
import { type Clock, createIdGenerator, systemClock } from '@tradepost/domain/kernel/context';
import type { WebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import type { Logger } from 'pino';
import { AdmissionQueue, ParserLimits } from '../http/admission';
import { createApp } from '../http/app';
import { Connections, handleClientErrors, requestTimeouts } from '../http/connections';
import { Senders } from '../http/fair-queue';
import { Health, healthPaths } from '../http/health';
import { LogSampler } from '../http/log-sampler';
import type { CompletedRequest } from '../http/request-log';
import { withOriginForm } from '../http/requests';
import { throttle } from '../kernel/throttle';
import type { Store } from '../stores/store';
import { loadTracer } from '../tracing/load-tracer';
import type { HttpOptions, HttpsServer, TlsCredentials } from './https-server';

/** How long a server waits for requests when it stops, in milliseconds. An embedded one waits as long for attempts. */
export const shutdownTimeoutMs = 5_000;
const defaultMaxConnections = 10_000;
const defaultLogsPerSecond = 100;

/** Options of the API server. */
export interface ApiOptions {
  /** The store that requests read and change. */
  store: Store;
  /** Receives log entries, without keys, secrets or bodies. */
  log: Logger;
  /** TCP port; 0 for a free one. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** How many requests one API key may make in a minute. */
  rateLimit: number;
  /**
   * How many requests all keys and sessions of one account may make together in a minute, unless it has a limit of its own.
   * @default five times `rateLimit`
   */
  accountRateLimit?: number | undefined;
  /**
   * Certificate and private key, to serve HTTPS.
   * @default plain HTTP
   */
  tls?: TlsCredentials | undefined;
  /**
   * How many connections may be open at once.
   * @default 10000
   */
  maxConnections?: number | undefined;
  /**
   * For how many seconds a connection may wait for its next request: at least 1, and longer than proxies keep theirs.
   * @default 75
   */
  keepAliveSeconds?: number | undefined;
  /** Which webhook URLs are allowed. */
  webhookPolicy: WebhookPolicy;
  /**
   * The source of the current time.
   * @default the system clock
   */
  clock?: Clock;
  /**
   * Whether to serve the API reference at `/docs` and the OpenAPI documents.
   * @default true
   */
  docs?: boolean | undefined;
  /**
   * Whether to serve the console, a web page for people, at `/console`.
   * @default true
   */
  console?: boolean | undefined;
  /**
   * The origins of web pages that may call the API; `*` for all.
   * @default none
   */
  corsOrigins?: readonly string[] | undefined;
  /**
   * Addresses and subnets of proxies whose `X-Forwarded-For` is believed; or `loopback`, `linklocal`, `uniquelocal`. The client's
   * address is logged, and wrong sign-in codes are counted by it.
   * @default none
   */
  trustProxy?: readonly string[] | undefined;
  /** Whether to validate responses against the contract. For tests, because it costs time. */
  validateResponses?: boolean;
  /**
   * How many requests are logged in a second. Of further ones only the number is logged.
   * @default 100
   */
  logsPerSecond?: number | undefined;
  /**
   * The health checks of the process.
   * @default checks of the store
   */
  health?: Health | undefined;
  /** Called after each complete response. Metrics use it. */
  onRequestCompleted?: ((request: CompletedRequest) => void) | undefined;
}

/** How busy an API server is. */
export interface ApiLoad {
  /** Open connections. */
  readonly connections: number;
  /** Requests that wait in the admission queue. */
  readonly queueLength: number;
  /** Requests that were rejected before routing since the start, by the code of their response, such as `overloaded`. */
  readonly rejected: Readonly<Record<string, number>>;
}

/** A running API server. */
export interface Api {
  /** The URL, such as `http://127.0.0.1:4010`; with TLS, `https://…`. */
  url: string;
  /** The TCP port that it listens on, also when 0 was requested. */
  port: number;
  /** Its properties are current whenever they are read. */
  load: ApiLoad;
  /** Uses a renewed certificate for new connections. Throws if it is not valid, or if the server was started without TLS. */
  setTls(tls: TlsCredentials): void;
  /** Finishes the requests in flight, for up to `timeoutMs`. Does not close the store. */
  stop(timeoutMs: number): Promise<void>;
}

function createPlainServer(options: HttpOptions, listener: RequestListener): HttpsServer {
  return {
    server: createServer(options, listener),
    setTls() {
      throw new Error('The server was started without TLS.');
    },
  };
}

/** Starts the API server. Resolves when it accepts requests; rejects if it cannot listen. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { store, log, clock = systemClock, webhookPolicy } = options;
  const health = options.health ?? new Health({ store, clock });
  const tracer = await loadTracer();
  if (tracer) store.traceChanges(tracer.changes);
  const sampler = new LogSampler(log, clock, options.logsPerSecond ?? defaultLogsPerSecond);
  const senders = new Senders();
  let stopping = false;
  const {
    app,
    reject,
    messageClasses,
    releaseLongPolls,
    stop: stopApp,
  } = createApp({
    store,
    clock,
    newId: createIdGenerator(),
    log,
    webhookPolicy,
    rateLimit: options.rateLimit,
    accountRateLimit: options.accountRateLimit,
    isStopping: () => stopping,
    sampler,
    onRequestCompleted: options.onRequestCompleted,
    // Otherwise a client that keeps its connection alive would delay the shutdown until its timeout.
    onResponseClosed() {
      if (stopping) setImmediate(() => server.closeIdleConnections());
    },
    health,
    docs: options.docs ?? true,
    console: options.console ?? true,
    corsOrigins: options.corsOrigins ?? [],
    trustProxy: options.trustProxy ?? [],
    validateResponses: options.validateResponses ?? false,
    onAuthenticated: senders.learn,
    tracer: tracer?.requests,
  });

  // With or without a query.
  const probe = new RegExp(`^(${healthPaths.join('|')})(\\?|$)`);
  const logRejected = throttle(clock, (rejected) =>
    log.warn({ rejected }, 'overloaded: requests rejected with 503'),
  );
  const admission = new AdmissionQueue({
    clock,
    handle: app,
    reject(request, response) {
      logRejected();
      reject(request, response);
    },
    isProbe: ({ url = '' }) => probe.test(url),
    identify: senders.identify,
    getWriteDelay: () => store.getWriteDelay(),
  });
  const logPipelined = throttle(clock, (closed) =>
    log.warn({ closed }, 'connections closed: too many requests without waiting for responses'),
  );
  const limits = new ParserLimits(withOriginForm(admission.listener), logPipelined);
  const { listener } = limits;
  const serverOptions = {
    ...messageClasses,
    requireHostHeader: false,
    maxHeaderSize: requestLimits.headerBytes,
    ...requestTimeouts,
    ...(options.keepAliveSeconds !== undefined && {
      keepAliveTimeout: options.keepAliveSeconds * 1_000,
    }),
  };
  const { tls } = options;
  // Loaded only with TLS, because most servers are behind a proxy and should start fast.
  const { server, setTls } = tls
    ? (await import('./https-server')).createHttpsServer(serverOptions, listener, {
        tls,
        log,
        clock,
      })
    : createPlainServer(serverOptions, listener);
  const maxConnections = options.maxConnections ?? defaultMaxConnections;
  const connections = new Connections(server, maxConnections, { log, clock });
  server.on('connection', admission.noteConnection);
  limits.watch(server);
  const rejected: Record<string, number> = {};
  handleClientErrors(server, {
    listener,
    clock,
    log,
    sampler,
    onRejected(code) {
      rejected[code] = (rejected[code] ?? 0) + 1;
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // A system drops what exceeds its backlog, and clients of dropped connections wait for seconds. Linux allows 4,096.
    const listenOptions = { port: options.port, host: options.host, backlog: maxConnections };
    server.listen(listenOptions, () => {
      server.off('error', reject);
      resolve();
    });
  });

  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    load: {
      get connections() {
        return connections.count;
      },
      get queueLength() {
        return admission.length;
      },
      get rejected() {
        return { ...rejected, overloaded: admission.rejected };
      },
    },
    setTls,
    async stop(timeoutMs) {
      stopping = true;
      health.stop();
      releaseLongPolls();
      const drained = new Promise((resolve) => server.close(resolve));
      const cancelTimeout = clock.schedule(timeoutMs, () => connections.destroyAll());
      server.closeIdleConnections();
      // Requests that have just arrived are read first.
      setImmediate(() => connections.closeUnused());
      await drained;
      cancelTimeout();
      sampler.flush();
      await stopApp();
    },
  };
}
