import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A delivery as it arrived. */
export interface Arrival {
  headers: IncomingHttpHeaders;
  /** The raw body. */
  body: Buffer;
}

/** What arrives at a receiver, for tests that wait for it. */
export class Arrivals {
  readonly all: Arrival[] = [];
  readonly #waiting = new Set<() => void>();

  /** Reads a request whole, and keeps it. */
  async take(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.all.push({ headers: request.headers, body: Buffer.concat(chunks) });
  }

  /** Lets those who wait have a look. */
  show(): void {
    for (const look of this.#waiting) look();
  }

  /** Waits until what has arrived satisfies a condition, now or later. */
  until(condition: (arrivals: Arrival[]) => boolean): Promise<Arrival[]> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition(this.all)) return;
        this.#waiting.delete(look);
        resolve(this.all);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
