import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { forwardRequest } from './forward-request';
import { closeServer, listenOnLoopback } from './loopback';

/** A request that arrived at a proxy. */
interface ProxyRequest {
  /** Its method and target, such as `CONNECT trade.example:443`. */
  line: string;
  headers: Record<string, unknown>;
}

/** A real forward proxy on loopback. */
export interface TunnelProxy {
  port: number;
  requests: ProxyRequest[];
  close(): Promise<void>;
}

/**
 * Starts a proxy that opens tunnels. Close it when the test ends.
 *
 * @param rejection the status for every request, instead of a tunnel
 * @param target a server on loopback that stands for every host; it also gets the requests that need no tunnel
 */
export async function startTunnelProxy(
  rejection?: number,
  target?: { port: number },
): Promise<TunnelProxy> {
  const requests: ProxyRequest[] = [];
  const open = new Set<Duplex>();
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    requests.push({ line: `${method} ${url}`, headers });
    if (rejection !== undefined || target === undefined) {
      response.writeHead(rejection ?? 501).end();
      return;
    }
    request.url = url.replace(/^http:\/\/[^/]+/, '');
    forwardRequest(request, response, `http://127.0.0.1:${target.port}`);
  });
  server.on('connect', ({ url = '', headers }, client, head) => {
    requests.push({ line: `CONNECT ${url}`, headers });
    if (rejection !== undefined) {
      client.end(`HTTP/1.1 ${rejection} Rejected\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = target
      ? { hostname: '127.0.0.1', ...target }
      : new URL(`tunnel://${url}`);
    const service = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      service.write(head);
      service.pipe(client).pipe(service);
    });
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    requests,
    async close() {
      for (const socket of open) socket.destroy();
      await closeServer(server);
    },
  };
}
