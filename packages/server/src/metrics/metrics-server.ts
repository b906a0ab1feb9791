import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@tradepost/domain/kernel/context';
import type { Logger } from 'pino';
import { ParserLimits } from '../http/admission';
import { Connections, requestTimeouts } from '../http/connections';
import { type Health, respondToProbe } from '../http/health';
import { newRequestId } from '../http/request-log';
import { isLoopback } from '../kernel/loopback';
import { throttle } from '../kernel/throttle';

/** The metrics of one part of the server. */
export interface Metrics {
  /** Returns the current metrics in the text format of Prometheus 0.0.4. */
  read(): Promise<string>;
}

/** Few clients read metrics, and they must not use up the file descriptors of the service. */
const maxConnections = 32;

/** How much time passes between two reads at least, in milliseconds: each one takes time from the API. */
const readIntervalMs = 100;

const textFormat = 'text/plain; version=0.0.4; charset=utf-8';

/** Options of the metrics server. */
export interface MetricsServerOptions {
  /** TCP port; 0 for a free one. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** Served one after the other. No two may have a metric of the same name. */
  metrics: Metrics[];
  /** The health checks at `/livez` and `/readyz`, for processes without an API. */
  health: Health;
  log: Logger;
  /**
   * The source of time.
   * @default the system clock
   */
  clock?: Clock;
}

/** A running metrics server. */
export interface MetricsServer {
  /** The URL, such as `http://127.0.0.1:9464/metrics`. */
  url: string;
  /** Stops the server and closes all connections. */
  stop(): Promise<void>;
}

function respond(response: ServerResponse, status: number, text: string, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
  response.end(`${text}\n`);
}

async function sendHealth(
  response: ServerResponse,
  path: '/livez' | '/readyz',
  health: Health,
): Promise<void> {
  const { status, contentType, body } = await respondToProbe(path, health, newRequestId());
  response.writeHead(status, {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    ...(status === 503 && { 'Retry-After': '1' }),
  });
  response.end(JSON.stringify(body));
}

/**
 * Returns a function that reads all metrics. All calls before the next read starts get the result of that one, so a flood
 * of requests costs ten reads a second.
 */
function shareReads(metrics: readonly Metrics[], clock: Clock): () => Promise<string> {
  let next: Promise<string> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let nextAt = 0;
  async function readNext(): Promise<string> {
    await last;
    const waitMs = Math.max(0, nextAt - clock.elapsed());
    await new Promise<void>((resolve) => {
      if (waitMs === 0) resolve();
      else clock.schedule(waitMs, resolve);
    });
    next = null;
    nextAt = clock.elapsed() + readIntervalMs;
    const reading = Promise.all(metrics.map((part) => part.read()));
    last = reading.catch(() => undefined);
    return (await reading).join('');
  }
  return () => {
    next ??= readNext();
    return next;
  };
}

/** Returns a `Host` header without its port. */
const withoutPort = (header: string) => header.replace(/(^[^:]*|\]):\d+$/, '$1');

function respondWith({
  metrics,
  health,
  host,
  clock = systemClock,
}: MetricsServerOptions): RequestListener {
  const read = shareReads(metrics, clock);
  // A web page can have a name that leads to this machine, and so read what is served here without a key.
  const isAllowed = (name: string | undefined) =>
    !isLoopback(host) || isLoopback(withoutPort(name ?? host));
  return async ({ method = '', url = '', headers }, response) => {
    if (!isAllowed(headers.host)) {
      return respond(response, 421, 'Misdirected request. This address serves only localhost.');
    }
    const [path = ''] = url.split('?', 1);
    if (path !== '/metrics' && path !== '/livez' && path !== '/readyz') {
      return respond(response, 404, 'Not found. There are /metrics, /livez and /readyz.');
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return respond(response, 405, 'Method not allowed. Use GET.', { Allow: 'GET, HEAD' });
    }
    if (path !== '/metrics') return sendHealth(response, path, health);
    const text = await read().catch(() => null);
    if (text !== null) {
      response.writeHead(200, { 'Content-Type': textFormat }).end(text);
    } else {
      respond(response, 503, 'Metrics are unavailable. Try again.', { 'Retry-After': '1' });
    }
  };
}

/** Serves metrics at `/metrics`, and the health checks. Resolves when the server listens; rejects if it cannot. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { log } = options;
  const logPipelined = throttle(options.clock ?? systemClock, (closed) =>
    log.warn(
      { closed },
      'connections to the metrics port closed: too many requests without waiting for responses',
    ),
  );
  const limits = new ParserLimits(respondWith(options), logPipelined);
  const server = createServer(requestTimeouts, limits.listener);
  limits.watch(server);
  const connections = new Connections(server, maxConnections, {
    log,
    clock: systemClock,
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
    url: `http://${host}:${port}/metrics`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.destroyAll();
      }),
  };
}
