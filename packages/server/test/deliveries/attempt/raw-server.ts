import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certificate } from '../../helpers/self-signed-certificate';

/** A server that handles each connection as configured and lasts as long as the running test. */
export interface RawServer {
  /** Where it listens. */
  url: string;
  /** The connections that it was ever asked for. */
  connections: Socket[];
}

/** Opens one, for answers that no HTTP server gives; with a certificate it speaks TLS. */
export async function openRawServer(
  onConnection: (socket: Socket) => void,
  tls?: Certificate,
): Promise<RawServer> {
  const connections: Socket[] = [];
  const attend = (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  };
  const server = tls === undefined ? createServer(attend) : createTlsServer(tls, attend);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of connections) socket.destroy();
    await closed;
  });
  const scheme = tls === undefined ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`, connections };
}

/** Opens one that gives each request the same bytes for a response, and then ends the connection if told. */
export function openRawResponses(bytes: string | Buffer, end = false): Promise<RawServer> {
  return openRawServer((socket) => {
    socket.on('data', () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
  });
}

/** Opens one that answers each request with `head`, and then with `again` for as long as anybody reads. */
export function openFlood(head: string, again: string, tls?: Certificate): Promise<RawServer> {
  const chunk = again.repeat(Math.ceil(65_536 / again.length));
  return openRawServer((socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    socket.once('data', () => {
      socket.write(head);
      pour();
    });
  }, tls);
}
