import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { closeServer, listenOnLoopback } from './loopback';

/** An endpoint on loopback that violates HTTP or TLS, or behaves otherwise badly. */
export interface FaultyReceiver {
  url: string;
  /** How many connections it accepted. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Starts a faulty receiver.
 *
 * @param serve Called with a connection when the first bytes of a request have arrived.
 * @param tls A certificate, for TLS.
 */
export async function startFaultyReceiver(
  serve: (socket: Socket) => void,
  tls?: { cert: string; key: string },
): Promise<FaultyReceiver> {
  const sockets: Socket[] = [];
  const accept = (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).once('data', () => serve(socket));
  };
  const server = tls ? createTlsServer(tls, accept) : createServer(accept);
  // A client that rejects the certificate closes the connection during the handshake.
  server.on('tlsClientError', () => {});
  const port = await listenOnLoopback(server);
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/`,
    connections: () => sockets.length,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await closeServer(server);
    },
  };
}
