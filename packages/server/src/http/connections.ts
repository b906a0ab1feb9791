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
    const logRejected = atIntervals((rejected) =>
      log.warn({ limit, rejected }, 'connections rejected: the limit is reached'),
    );
    server.on('drop', () => logRejected());
    server.once('listening', () => {
      // Such as a lack of file descriptors when a connection is to be accepted.
      const logFailed = atIntervals<Error>((failed, err) =>
        log.error({ err, failed }, 'could not accept connections'),
      );
      server.on('error', (error) => logFailed(error));
    });
  }

  /** Destroys those that are open. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** Reports at most once in ten seconds, and how often there was something: a flood must not become a flood of lines. */
function atIntervals<About = void>(report: (count: number, about: About) => void) {
  let count = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (about: About) => {
    count += 1;
    const now = performance.now();
    if (now - reportedAt < logIntervalMs) return;
    report(count, about);
    count = 0;
    reportedAt = now;
  };
}
