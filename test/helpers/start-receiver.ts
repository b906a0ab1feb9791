import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { type Arrival, Arrivals } from './arrivals';
import { closeServer, listenOnLoopback } from './loopback';

export type { Arrival } from './arrivals';

/** A real endpoint on loopback that records what arrives. */
export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Waits until the arrivals satisfy a condition. */
  until(condition: (arrivals: Arrival[]) => boolean): Promise<Arrival[]>;
  close(): Promise<void>;
}

/**
 * Starts an HTTPS receiver with a self-signed certificate.
 *
 * @param getStatus Returns the status of the response to an arrival, by its number from 1. Defaults to 204.
 */
export async function startReceiver(
  getStatus: (number: number) => number = () => 204,
): Promise<Receiver> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const arrivals = new Arrivals();
  const server = createServer({ key, cert }, async (request, response) => {
    await arrivals.record(request);
    response.writeHead(getStatus(arrivals.all.length)).end();
    arrivals.notify();
  });
  const port = await listenOnLoopback(server);
  return {
    url: `https://127.0.0.1:${port}/deliveries`,
    arrivals: arrivals.all,
    until: (condition) => arrivals.until(condition),
    close: () => closeServer(server),
  };
}
