import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../../test/helpers/loopback';
import type { Certificate } from '../../helpers/self-signed-certificate';

/** A server that handles each connection as configured and stops with the running test. */
export interface RawServer {
  /** Its URL. */
  url: string;
  /** All connections so far. */
  connections: Socket[];
}

/** Starts a server for responses that no HTTP server sends; with a certificate it uses TLS. */
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
  const port = await listenOnLoopback(server);
  onTestFinished(async () => {
    const closed = closeServer(server);
    for (const socket of connections) socket.destroy();
    await closed;
  });
  const scheme = tls === undefined ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${port}/`, connections };
}

/** Starts a server that responds to each request with the same bytes, and then optionally ends the connection. */
export function openRawResponses(bytes: string | Buffer, end = false): Promise<RawServer> {
  return openRawServer((socket) => {
    socket.on('data', () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
  });
}

/** Starts a server that responds to each request with `head`, and then with `again` without end. */
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
