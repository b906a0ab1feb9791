import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

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
