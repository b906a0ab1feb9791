import { createServer, type ServerResponse } from 'node:http';
import { Arrivals } from './arrivals';
import { closeServer, listenOnLoopback } from './loopback';
import type { Receiver } from './start-receiver';

/** An endpoint on loopback, plain http, that takes deliveries and answers none of them until it is told to. */
export interface HoldingReceiver extends Receiver {
  /** Acknowledges what it holds, and from now on everything at once. */
  release(): void;
}

/** Starts a receiver that hangs. */
export async function startHoldingReceiver(): Promise<HoldingReceiver> {
  const arrivals = new Arrivals();
  const held: ServerResponse[] = [];
  let holding = true;
  const server = createServer(async (request, response) => {
    await arrivals.take(request);
    if (holding) held.push(response);
    else response.writeHead(204).end();
    arrivals.show();
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/deliveries`,
    arrivals: arrivals.all,
    until: (condition) => arrivals.until(condition),
    release: () => {
      holding = false;
      for (const response of held.splice(0)) response.writeHead(204).end();
    },
    close: () => closeServer(server),
  };
}
