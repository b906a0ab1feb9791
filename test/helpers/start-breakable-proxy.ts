import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from './loopback';

/** A proxy for TCP connections to a server that can stop passing bytes, as a broken network does. */
export interface BreakableProxy {
  /** Its base URL. */
  url: string;
  /** Waits until a client has sent a text that matches, including what was sent before. */
  sends(pattern: RegExp): Promise<void>;
  /** From now on no byte passes. Connections stay open, and new ones are accepted. */
  breakOff(): void;
  /** Lets new connections pass. Those that were cut off stay silent. */
  repair(): void;
}

/** Starts a proxy. It is closed when the test ends. */
export async function startBreakableProxy(target: string): Promise<BreakableProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  const watchers = new Set<() => void>();
  let sent = '';
  let isBroken = false;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    keep(client);
    if (isBroken) return;
    const upstream = keep(connect(Number(targetPort), hostname));
    client.pipe(upstream).pipe(client);
    client.on('data', (bytes) => {
      sent += bytes.toString('latin1');
      for (const check of watchers) check();
    });
    upstream.on('close', () => {
      if (!silent.has(client)) client.destroy();
    });
    client.on('close', () => upstream.destroy());
  });
  const port = await listenOnLoopback(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await closeServer(server);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    sends: (pattern) =>
      new Promise((resolve) => {
        const check = () => {
          if (!pattern.test(sent)) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      }),
    breakOff() {
      isBroken = true;
      for (const socket of sockets) silent.add(socket.unpipe().pause());
    },
    repair() {
      isBroken = false;
    },
  };
}
