import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeServer, listenOnLoopback } from '../../helpers/loopback';

/** A request that arrived at a proxy. */
interface ProxyRequest {
  /** Its method and target, such as `CONNECT trade.example:443`. */
  line: string;
  headers: Record<string, unknown>;
}

/** A real forward proxy on loopback that opens tunnels. */
export interface TunnelProxy {
  port: number;
  requests: ProxyRequest[];
  close(): Promise<void>;
}

/**
 * Starts a proxy. Close it when the test ends.
 *
 * @param rejection the status for every tunnel, instead of opening it
 */
export async function startTunnelProxy(rejection?: number): Promise<TunnelProxy> {
  const requests: ProxyRequest[] = [];
  const open = new Set<Duplex>();
  const server = createServer(({ method, url, headers }, response) => {
    requests.push({ line: `${method} ${url}`, headers });
    // Only tunnels are expected.
    response.writeHead(501).end();
  });
  server.on('connect', ({ url = '', headers }, client, head) => {
    requests.push({ line: `CONNECT ${url}`, headers });
    if (rejection !== undefined) {
      client.end(`HTTP/1.1 ${rejection} Rejected\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`tunnel://${url}`);
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
