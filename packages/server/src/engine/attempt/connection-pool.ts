import { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from './undici';

/** The default for how many idle connections are kept open. */
export const defaultMaxIdle = 512;

/** Keeps connections open between attempts. The most recently used connection is reused first. */
export class ConnectionPool {
  readonly #connect: buildConnector.connector;
  readonly #maxIdle: number;
  readonly #open = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;

  /** @param maxIdle How many idle connections are kept open. */
  constructor(connect: buildConnector.connector, maxIdle: number = defaultMaxIdle) {
    this.#connect = connect;
    this.#maxIdle = maxIdle;
  }

  /** Takes a connection to an origin for exclusive use: an open one, or a new one. */
  take(origin: string): Connection {
    const idle = this.#idle.get(origin)?.pop();
    if (idle === undefined) return this.takeNew(origin);
    this.#removeIdle(origin);
    return idle;
  }

  /** Opens a connection to an origin. */
  takeNew(origin: string): Connection {
    const connection = new Connection(origin, this.#connect, (closed) => this.#forgetIdle(closed));
    this.#open.add(connection);
    return connection;
  }

  /** Returns a connection whose response is complete to the pool. */
  release(connection: Connection): void {
    if (this.#idleCount >= this.#maxIdle) {
      this.drop(connection);
      return;
    }
    this.#idleCount += 1;
    const { origin } = connection;
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
  }

  /** Closes a connection. */
  drop(connection: Connection): void {
    this.#open.delete(connection);
    connection.end().catch(() => {});
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#idle.clear();
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((connection) => connection.end()));
  }

  #forgetIdle(connection: Connection): void {
    const { origin } = connection;
    const idle = this.#idle.get(origin) ?? [];
    const index = idle.indexOf(connection);
    if (index === -1) return;
    idle.splice(index, 1);
    this.#removeIdle(origin);
    this.drop(connection);
  }

  #removeIdle(origin: string): void {
    this.#idleCount -= 1;
    if (this.#idle.get(origin)?.length === 0) this.#idle.delete(origin);
  }
}

/** The size limit of a response in bytes: its headers and as much of its body as is read. */
const maxResponseBytes = 49_152;
/**
 * More than a response may have, and more than the system reads at once, so that the parser never reaches a limit of its own.
 * It creates an error for each header beyond its limit, which takes it a fifth of a second for 64 kB of headers.
 */
const maxHeaderBytes = 131_072;
/** How long an idle connection is kept at most, in milliseconds. Middleboxes drop idle connections silently. */
const maxIdleMs = 30_000;

/** Thrown when a response exceeds the limit, for example with endless headers. */
export class ResponseTooLargeError extends Error {
  override name = 'ResponseTooLargeError' as const;
  readonly code = 'RESPONSE_TOO_LARGE' as const;
}

/** A connection to one receiver. It carries one request at a time, and reopens if it was closed between requests. */
export class Connection {
  readonly #client: Client;
  #socket: Socket | null = null;
  #requestCount = 0;
  #bytesReadBefore = 0;

  /** @param onClosed Called when either side closed the connection. */
  constructor(
    /** Scheme, host and port. */
    readonly origin: string,
    connect: buildConnector.connector,
    onClosed: (connection: Connection) => void,
  ) {
    this.#client = new Client(origin, {
      connect: (options, callback) => {
        const opened: unknown = connect(options, (...result) => {
          const [error, socket] = result;
          if (error === null) this.#attend(socket);
          callback(...result);
        });
        if (opened instanceof Socket) this.#socket = opened;
      },
      // The timeout of the attempt covers headers and body.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxHeaderBytes,
      keepAliveMaxTimeout: maxIdleMs,
      pipelining: 1,
    });
    this.#client.on('disconnect', () => onClosed(this));
  }

  /** Whether the current request is not the first one on this socket. */
  get isUsed(): boolean {
    return this.#requestCount > 1;
  }

  /** Sends a request as soon as the connection is open. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Call before the request is written. */
  begin(): void {
    this.#requestCount += 1;
    this.#bytesReadBefore = this.#socket?.bytesRead ?? 0;
  }

  /** Closes the connection. A request in flight fails with `server_shutdown`. */
  async end(): Promise<void> {
    const ended = this.#client.destroy();
    // A client that is still connecting does not destroy its socket.
    this.#socket?.destroy();
    await ended;
  }

  #attend(socket: Socket): void {
    this.#socket = socket;
    this.#requestCount = 0;
    // This event comes before the parser reads the data.
    socket.on('readable', () => {
      const parsed = socket.bytesRead - socket.readableLength - this.#bytesReadBefore;
      if (parsed > maxResponseBytes) socket.destroy(new ResponseTooLargeError());
    });
  }
}
