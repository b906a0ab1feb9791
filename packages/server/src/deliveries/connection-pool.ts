import type { buildConnector } from 'undici';
import { Connection } from './connection';

/** How many connections are kept open by default though nothing is in flight on them. */
export const defaultMaxIdle = 512;

/** Keeps connections open between attempts: the one that was used last is used first. */
export class ConnectionPool {
  readonly #connect: buildConnector.connector;
  readonly #maxIdle: number;
  readonly #open = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;

  /** @param maxIdle How many connections are kept open though nothing is in flight on them. */
  constructor(connect: buildConnector.connector, maxIdle: number = defaultMaxIdle) {
    this.#connect = connect;
    this.#maxIdle = maxIdle;
  }

  /** A connection to an origin that nobody else uses: one that is open, or a new one. */
  take(origin: string): Connection {
    const idle = this.#idle.get(origin)?.pop();
    if (idle === undefined) return this.takeNew(origin);
    this.#leaveIdle(origin);
    return idle;
  }

  /** A new connection to an origin. */
  takeNew(origin: string): Connection {
    const connection = new Connection(origin, this.#connect, (closed) => this.#forgetIdle(closed));
    this.#open.add(connection);
    return connection;
  }

  /** Takes a connection back whose request was answered whole. */
  giveBack(connection: Connection): void {
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

  /** Closes all. */
  async close(): Promise<void> {
    this.#idle.clear();
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((connection) => connection.end()));
  }

  #forgetIdle(connection: Connection): void {
    const { origin } = connection;
    const idle = this.#idle.get(origin) ?? [];
    const place = idle.indexOf(connection);
    if (place === -1) return;
    idle.splice(place, 1);
    this.#leaveIdle(origin);
    this.drop(connection);
  }

  #leaveIdle(origin: string): void {
    this.#idleCount -= 1;
    if (this.#idle.get(origin)?.length === 0) this.#idle.delete(origin);
  }
}
