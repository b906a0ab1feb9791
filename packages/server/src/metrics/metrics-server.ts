import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Connections, requestTimeouts } from '../http/connections';
import { type Health, respondToProbe } from '../http/health';
import { newRequestId } from '../http/request-log';
import { systemClock } from '../kernel/context';

/** The metrics of one part of the server. */
export interface Metrics {
  /** Returns the current metrics in the text format of Prometheus 0.0.4. */
  read(): Promise<string>;
}

/** Few clients read metrics, and they must not use up the file descriptors of the service. */
const maxConnections = 32;

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

function respondWith({ metrics, health }: MetricsServerOptions): RequestListener {
  return async ({ method = '', url = '' }, response) => {
    const [path = ''] = url.split('?', 1);
    if (path !== '/metrics' && path !== '/livez' && path !== '/readyz') {
      return respond(response, 404, 'Not found. There are /metrics, /livez and /readyz.');
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return respond(response, 405, 'Method not allowed. Use GET.', { Allow: 'GET, HEAD' });
    }
    if (path !== '/metrics') return sendHealth(response, path, health);
    const texts = await Promise.all(metrics.map((part) => part.read())).catch(() => null);
    if (texts !== null) {
      response.writeHead(200, { 'Content-Type': textFormat }).end(texts.join(''));
    } else {
      respond(response, 503, 'Metrics are unavailable. Try again.', { 'Retry-After': '1' });
    }
  };
}

/** Serves metrics at `/metrics`, and the health checks. Resolves when the server listens; rejects if it cannot. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer(requestTimeouts, respondWith(options));
  const connections = new Connections(server, maxConnections, {
    log: options.log,
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
