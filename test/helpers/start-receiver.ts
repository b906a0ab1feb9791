import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { closeServer, listenOnLoopback, startHttpServer } from './loopback';

/** A real endpoint on loopback that records what arrives. */
export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Waits until the arrivals satisfy a condition. */
  until(condition: (arrivals: Arrival[]) => boolean): Promise<Arrival[]>;
  close(): Promise<void>;
}

/** A receiver that reads deliveries but responds to none until it is resumed. */
export interface PausedReceiver extends Receiver {
  /** Acknowledges all pending deliveries, and from now on every delivery at once. */
  resume(): void;
}

/** Responds to an arrival, by its number from 1. */
type Respond = (response: ServerResponse, number: number) => void;

const acknowledge: Respond = (response) => response.writeHead(204).end();

function createListener(arrivals: Arrivals, respond: Respond) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    await arrivals.record(request);
    respond(response, arrivals.all.length);
    arrivals.notify();
  };
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
  const respond: Respond = (response, number) => response.writeHead(getStatus(number)).end();
  const server = createServer({ key, cert }, createListener(arrivals, respond));
  const port = await listenOnLoopback(server);
  return {
    url: `https://127.0.0.1:${port}/deliveries`,
    arrivals: arrivals.all,
    until: (condition) => arrivals.until(condition),
    close: () => closeServer(server),
  };
}

/** Starts a receiver with plain HTTP. It acknowledges every arrival by default. */
export async function startHttpReceiver(respond: Respond = acknowledge): Promise<Receiver> {
  const arrivals = new Arrivals();
  const { url, close } = await startHttpServer(createListener(arrivals, respond));
  return {
    url: `${url}/deliveries`,
    arrivals: arrivals.all,
    until: (condition) => arrivals.until(condition),
    close,
  };
}

/** Starts a receiver with plain HTTP that does not respond until it is resumed. */
export async function startPausedReceiver(): Promise<PausedReceiver> {
  const pending: ServerResponse[] = [];
  let isPaused = true;
  const receiver = await startHttpReceiver((response, number) => {
    if (isPaused) pending.push(response);
    else acknowledge(response, number);
  });
  return {
    ...receiver,
    resume() {
      isPaused = false;
      for (const response of pending.splice(0)) response.writeHead(204).end();
    },
  };
}

/** A delivery as it arrived. */
export interface Arrival {
  headers: IncomingHttpHeaders;
  /** The raw body. */
  body: Buffer;
}

/** The deliveries that arrived at a receiver. Tests can wait for them. */
export class Arrivals {
  readonly all: Arrival[] = [];
  readonly #waiting = new Set<() => void>();

  /** Reads a request completely and records it. */
  async record(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.all.push({ headers: request.headers, body: Buffer.concat(chunks) });
  }

  /** Checks the conditions of waiting tests. */
  notify(): void {
    for (const check of this.#waiting) check();
  }

  /** Waits until the arrivals satisfy a condition. */
  until(condition: (arrivals: Arrival[]) => boolean): Promise<Arrival[]> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this.all)) return;
        this.#waiting.delete(check);
        resolve(this.all);
      };
      this.#waiting.add(check);
      check();
    });
  }
}
