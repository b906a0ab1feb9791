import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * What happens to a part of a message: it passes, perhaps after some milliseconds; its connection is reset before or after it
 * passes; or its connection goes silent: from this part on nothing passes, and neither end learns that the other one is gone.
 */
export type Fate = 'pass' | 'reset before' | 'reset after' | 'silence' | { delayMs: number };

/** Decides what happens to a part of a message. */
export type FateOf = (part: Buffer, from: 'client' | 'server') => Fate;

/** A TCP proxy before a database. */
export interface FaultyNetwork {
  /** The URL of the database through the proxy. */
  url: string;
  /** From now on, every part of a message passes. Silent connections stay silent. */
  heal(): void;
  close(): Promise<void>;
}

/** Starts a proxy before the database at a URL. */
export async function startFaultyNetwork(target: string, decide: FateOf): Promise<FaultyNetwork> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let fateOf = decide;
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    let isSilent = false;
    const reset = () => {
      client.resetAndDestroy();
      database.resetAndDestroy();
    };
    const forward = (source: Socket, destination: Socket, from: 'client' | 'server') => {
      // One part after another, so that a delay changes no order.
      let last = Promise.resolve();
      const handle = async (part: Buffer) => {
        if (isSilent) return;
        const fate = fateOf(part, from);
        if (fate === 'silence') isSilent = true;
        if (fate === 'reset before') reset();
        if (typeof fate === 'object') await setTimeout(fate.delayMs);
        if (isSilent || destination.destroyed) return;
        destination.write(part);
        // After it has been sent.
        if (fate === 'reset after') destination.end(reset);
      };
      source.on('data', (part) => {
        last = last.then(() => handle(part));
      });
      sockets.add(source);
      source.on('error', () => {});
      source.on('close', () => {
        sockets.delete(source);
        if (!isSilent) void last.then(() => destination.destroy());
      });
    };
    forward(client, database, 'client');
    forward(database, client, 'server');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP port');
  return {
    url: Object.assign(new URL(target), { port: String(address.port) }).href,
    heal() {
      fateOf = () => 'pass';
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
