import { connect, createServer, type Socket } from 'node:net';

/** When a connection breaks: before the server gets the commit, or before its response arrives. */
export type BreakingPoint = 'before the commit' | 'after the commit';

/** A proxy between a store and PostgreSQL that breaks a connection at its next commit. */
export interface CommitBreaker {
  /** The URL of the database through the proxy. */
  url: string;
  /**
   * Breaks the connection of the next commit.
   *
   * @param meanwhile What happens before the store notices, if the server does not get the commit.
   */
  breakNext(at: BreakingPoint, meanwhile?: () => Promise<void>): void;
  /** Breaks the connection of the next commit after it, and all others. From then on, none leads to the database. */
  breakAllAtNext(): void;
  /** How many connections it broke. */
  readonly broken: number;
  close(): Promise<void>;
}

/** Starts a proxy for the database at a URL. */
export async function startCommitBreaker(target: string): Promise<CommitBreaker> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let next: BreakingPoint | null = null;
  let wait = async () => {};
  let broken = 0;
  let breaksAll = false;
  let isDown = false;
  const breakAll = () => {
    isDown = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const database = connect(Number(port), hostname);
    let isBroken = false;
    let isHeld = false;
    const end = () => {
      if (isHeld) return;
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => {
      const isCommit = chunk.includes('COMMIT\0');
      if (isCommit && next !== null) {
        isBroken = true;
        broken += 1;
        const at = next;
        next = null;
        if (at === 'before the commit') {
          isHeld = true;
          void wait().then(() => {
            isHeld = false;
            end();
          });
          return;
        }
        // The server responds when it has committed.
        database.once('data', breaksAll ? breakAll : end);
      }
      database.write(chunk);
    });
    database.on('data', (chunk) => {
      if (!isBroken) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP port');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    breakNext(at, meanwhile = async () => {}) {
      next = at;
      wait = meanwhile;
    },
    breakAllAtNext() {
      next = 'after the commit';
      breaksAll = true;
    },
    get broken() {
      return broken;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
