import { createServer, type ServerResponse } from 'node:http';
import { Arrivals } from './arrivals';
import { closeServer, listenOnLoopback } from './loopback';
import type { Receiver } from './start-receiver';

/** An endpoint on loopback, plain http, that reads deliveries but responds to none until it is resumed. */
export interface PausedReceiver extends Receiver {
  /** Acknowledges all pending deliveries, and from now on every delivery at once. */
  resume(): void;
}

/** Starts a receiver that does not respond until it is resumed. */
export async function startPausedReceiver(): Promise<PausedReceiver> {
  const arrivals = new Arrivals();
  const pending: ServerResponse[] = [];
  let isPaused = true;
  const server = createServer(async (request, response) => {
    await arrivals.record(request);
    if (isPaused) pending.push(response);
    else response.writeHead(204).end();
    arrivals.notify();
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/deliveries`,
    arrivals: arrivals.all,
    until: (condition) => arrivals.until(condition),
    resume: () => {
      isPaused = false;
      for (const response of pending.splice(0)) response.writeHead(204).end();
    },
    close: () => closeServer(server),
  };
}
