import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** How long a connection may be silent while a response is due or being read, in milliseconds. Long polls take half of it. */
const inactivityTimeoutMs = 60_000;

const logIntervalMs = 10_000;

/** The limits that Node's own server is created with: a request's headers have 15 s, all of it 30 s. */
export const requestTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
} as const;

/**
 * All connections of an HTTP server, whatever became of them: Node itself loses sight of those that it hands
 * over with `connect`, `upgrade` or `clientError`, and takes its `error` listener off them. Without another one
 * the next reset would end the process.
 */
export class Connections {
  readonly #open = new Set<Socket>();

  /** @param limit How many may be open at once; one more is closed as soon as it is accepted. */
  constructor(server: Server, limit: number, log: Logger) {
    server.maxConnections = limit;
    server.timeout = inactivityTimeoutMs;
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    this.#logRejected(server, limit, log);
    server.once('listening', () => {
      // Such as a lack of file descriptors when a connection is to be accepted.
      server.on('error', (error) => log.error({ err: error }, 'could not accept a connection'));
    });
  }

  /** Destroys those that are open. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** At most a line in ten seconds: a flood of connections must not become a flood of lines. */
  #logRejected(server: Server, limit: number, log: Logger): void {
    let rejected = 0;
    let loggedAt = Number.NEGATIVE_INFINITY;
    server.on('drop', () => {
      rejected += 1;
      const now = performance.now();
      if (now - loggedAt < logIntervalMs) return;
      log.warn({ limit, rejected }, 'connections rejected: the limit is reached');
      rejected = 0;
      loggedAt = now;
    });
  }
}
