import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { type Arrival, Arrivals } from './arrivals';
import { closeServer, listenOnLoopback } from './loopback';

export type { Arrival } from './arrivals';

/** A real endpoint on loopback that keeps what it is sent. */
export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Waits until what has arrived satisfies a condition, now or later. */
  until(condition: (arrivals: Arrival[]) => boolean): Promise<Arrival[]>;
  close(): Promise<void>;
}

/**
 * Starts an HTTPS receiver with a certificate of its own making.
 *
 * @param answer The status to answer an arrival with, by its number from 1; 204 unless told.
 */
export async function startReceiver(
  answer: (number: number) => number = () => 204,
): Promise<Receiver> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const arrivals = new Arrivals();
  const server = createServer({ key, cert }, async (request, response) => {
    await arrivals.take(request);
    response.writeHead(answer(arrivals.all.length)).end();
    arrivals.show();
  });
  const port = await listenOnLoopback(server);
  return {
    url: `https://127.0.0.1:${port}/deliveries`,
    arrivals: arrivals.all,
    until: (condition) => arrivals.until(condition),
    close: () => closeServer(server),
  };
}
