import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Connections, requestTimeouts } from '../http/connections';
import type { Metrics } from './metrics';

/** Metrics are read by few, and must not take the file descriptors of those who use the service. */
const maxConnections = 32;

const textFormat = 'text/plain; version=0.0.4; charset=utf-8';

/** Where metrics are served, and which. */
export interface MetricsServerOptions {
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** What is told, one after the other. No two may have a metric of the same name. */
  metrics: Metrics[];
  log: Logger;
}

/** Metrics while they are served. */
export interface MetricsServer {
  /** Where they are, such as `http://127.0.0.1:9464/metrics`. */
  url: string;
  /** Ends it with all its connections. */
  stop(): Promise<void>;
}

function say(response: ServerResponse, status: number, text: string, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
  response.end(`${text}\n`);
}

function answerWith(metrics: Metrics[]): RequestListener {
  return async ({ method = '', url = '' }, response) => {
    if (url.split('?', 1)[0] !== '/metrics') {
      return say(response, 404, 'Nothing is here. Metrics are at /metrics.');
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return say(response, 405, 'Metrics can be read, by GET.', { Allow: 'GET, HEAD' });
    }
    const texts = await Promise.all(metrics.map((part) => part.read())).catch(() => null);
    if (texts !== null) {
      response.writeHead(200, { 'Content-Type': textFormat }).end(texts.join(''));
    } else {
      say(response, 503, 'The metrics cannot be read now. Ask again.', { 'Retry-After': '1' });
    }
  };
}

/** Serves metrics at `/metrics`. The promise fulfils once they can be read; it rejects when it cannot listen. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer(requestTimeouts, answerWith(options.metrics));
  const connections = new Connections(server, maxConnections, options.log);
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
