import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { portOf } from './listening';

/** A connection to a server of its own, whose bytes the test writes itself. */
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
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = await connected(portOf(server));
  return {
    socket,
    async stop() {
      socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first lines of a POST, ready for its body. */
export function headOf(headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /webhooks HTTP/1.1\r\nHost: receiver.example\r\n${lines.join('')}\r\n`;
}

/** All that comes until the connection is closed. */
export async function allOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The rest of what is sent may meet a closed door.
  socket.on('error', () => undefined);
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
  return Buffer.concat(chunks).toString();
}
