import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { forwardRequest } from './forward-request';
import { closeServer, listenOnLoopback } from './loopback';

/** A proxy before a service that goes away, or stops responding, at a certain request. */
export interface GatedProxy {
  /** Its base URL. */
  url: string;
  /** From the given number of changes on, responds to what is on open connections, and rejects new ones. */
  rejectAfter(changes: number): void;
  /** From the given number of changes on, keeps changes back. Resolves when it has kept back `held`. */
  holdAfter(changes: number, held: number): Promise<void>;
  /** Forwards what was held, and everything else from now on. */
  release(): void;
  /** Closes all connections and rejects new ones. */
  cutOff(): void;
  /** Accepts connections again, at the same address. */
  restore(): Promise<void>;
}

/** Starts a proxy. A change is a PATCH request. It is closed when the test ends. */
export async function startGatedProxy(target: string): Promise<GatedProxy> {
  const sockets = new Set<Socket>();
  let untilRejected = Number.POSITIVE_INFINITY;
  let untilHeld = Number.POSITIVE_INFINITY;
  let isRejecting = false;
  let held: (() => void)[] = [];
  let notifyHeld = () => {};

  function respond(incoming: IncomingMessage, response: ServerResponse): void {
    const isChange = incoming.method === 'PATCH';
    if (isChange) {
      untilRejected -= 1;
      untilHeld -= 1;
    }
    if (untilRejected < 0) reject();
    // The service, and so the response, closes the connection too.
    if (isRejecting) incoming.headers.connection = 'close';
    const forward = () => forwardRequest(incoming, response, target);
    if (!(isChange && untilHeld < 0)) {
      forward();
      return;
    }
    held.push(forward);
    notifyHeld();
  }

  // Speaks HTTP on connections that another server accepts: it can stop listening and keep its connections.
  const http = createServer(respond);
  const listen = () =>
    createTcpServer((socket) => {
      sockets.add(socket.on('close', () => sockets.delete(socket)));
      http.emit('connection', socket);
    });
  let listener: Server = listen();
  const port = await listenOnLoopback(listener);

  function reject(): void {
    if (isRejecting) return;
    isRejecting = true;
    listener.close();
  }
  function closeConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  onTestFinished(async () => {
    closeConnections();
    if (listener.listening) await closeServer(listener);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    rejectAfter(changes) {
      untilRejected = changes;
    },
    holdAfter(changes, count) {
      untilHeld = changes;
      return new Promise((resolve) => {
        notifyHeld = () => {
          if (held.length >= count) resolve();
        };
      });
    },
    release() {
      untilHeld = Number.POSITIVE_INFINITY;
      for (const forward of held) forward();
      held = [];
    },
    cutOff() {
      reject();
      closeConnections();
    },
    async restore() {
      untilRejected = Number.POSITIVE_INFINITY;
      isRejecting = false;
      listener = listen();
      await listenOnLoopback(listener, port);
    },
  };
}
