import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { startHttpServer } from '../../../../../test/helpers/loopback';

/** A connection to its own server. The test writes the bytes itself. */
export interface RawConnection {
  socket: Socket;
  stop(): Promise<unknown>;
}

/** Connects to a port. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Starts a real server on a free port and connects to it. */
export async function rawConnection(listener: RequestListener): Promise<RawConnection> {
  const server = await startHttpServer(listener);
  const socket = await connected(server.port);
  return {
    socket,
    async stop() {
      socket.destroy();
      await server.close();
    },
  };
}

/** Returns the request line and headers of a POST. */
export function requestHead(headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /webhooks HTTP/1.1\r\nHost: receiver.example\r\n${lines.join('')}\r\n`;
}

/** Reads everything until the connection is closed. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The server may close the connection while the test still writes.
  socket.on('error', () => undefined);
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
  return Buffer.concat(chunks).toString();
}
