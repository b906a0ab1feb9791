import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** An endpoint on loopback that answers as no good one does. */
export interface FaultyReceiver {
  url: string;
  /** How many connections came to it. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Starts one.
 *
 * @param serve What it does with a connection once a request has begun to arrive.
 * @param tls With a certificate it speaks TLS.
 */
export async function startFaultyReceiver(
  serve: (socket: Socket) => void,
  tls?: { cert: string; key: string },
): Promise<FaultyReceiver> {
  const sockets: Socket[] = [];
  const attend = (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).once('data', () => serve(socket));
  };
  const server = tls ? createTlsServer(tls, attend) : createServer(attend);
  // A client that does not like the certificate hangs up in the midst of the handshake.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/`,
    connections: () => sockets.length,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends the same again and again, for as long as the other side reads. */
export function flood(socket: Socket, again: string): void {
  const chunk = again.repeat(Math.ceil(65_536 / again.length));
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', pour);
  pour();
}
