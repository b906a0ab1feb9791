import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { machineTime } from './loops';
import { quantile } from './quantiles';
import { serveParent } from './serve-parent';

/** A request that is sent again and again. */
export interface FloodTarget {
  url: string;
  /** The requests as bytes: head and body. With several, each in turn. */
  requests: readonly [string, ...string[]];
  /** The maximum number of requests at once. */
  connections: number;
}

/** The responses with one status. Durations are in milliseconds, from the time at which the request was due. */
export interface StatusResult {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

const statusLine = /^HTTP\/1\.1 (\d{3}) /;
const lengthHeader = /^content-length: (\d+)\r$/im;
const endOfHead = '\r\n\r\n';

/** One connection with at most one request at a time. It costs little processor time: it only reads status and length. */
class Line {
  readonly #socket: Socket;
  #text = '';
  #done: ((status: number) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', () => {});
    socket.on('close', () => this.#done?.(0));
  }

  /** Opens a connection. Resolves when the server has accepted it: the system does so before the server. */
  static async open(url: string): Promise<Line> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const line = new Line(socket);
    await line.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return line;
  }

  /** Sends a request. Resolves with the status of its response; 0 if the connection is or was closed. */
  send(request: string): Promise<number> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) return resolve(0);
      this.#done = resolve;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#text += text;
    const headEnds = this.#text.indexOf(endOfHead);
    if (headEnds === -1) return;
    const head = this.#text.slice(0, headEnds + 2);
    const length = Number(lengthHeader.exec(head)?.[1] ?? 0);
    if (this.#text.length < headEnds + endOfHead.length + length) return;
    this.#text = '';
    const done = this.#done;
    this.#done = null;
    done?.(Number(statusLine.exec(head)?.[1]));
  }
}

function openLines({ url, connections }: FloodTarget): Promise<Line[]> {
  return Promise.all(Array.from({ length: connections }, () => Line.open(url)));
}

/** Returns a function that returns each request in turn. */
function inTurn({ requests }: FloodTarget): () => string {
  let next = 0;
  return () => requests[next++ % requests.length] ?? requests[0];
}

/** Sends requests on each connection, one after the other, while there is a next one. Counts the responses by status. */
async function repeat(target: FloodTarget, hasNext: (elapsedMs: number) => boolean) {
  const lines = await openLines(target);
  const nextRequest = inTurn(target);
  const counts: Record<number, number> = {};
  const startedAt = machineTime();
  await Promise.all(
    lines.map(async (line) => {
      while (hasNext(machineTime() - startedAt)) {
        const status = await line.send(nextRequest());
        counts[status] = (counts[status] ?? 0) + 1;
      }
    }),
  );
  const elapsedMs = machineTime() - startedAt;
  for (const line of lines) line.close();
  const succeeded = Object.entries(counts)
    .filter(([status]) => status.startsWith('2'))
    .reduce((sum, [, count]) => sum + count, 0);
  return { startedAt, elapsedMs, succeeded, counts };
}

class Durations {
  readonly #byStatus = new Map<number, number[]>();

  add(status: number, milliseconds: number): void {
    const known = this.#byStatus.get(status);
    if (known) known.push(milliseconds);
    else this.#byStatus.set(status, [milliseconds]);
  }

  summarize(): Record<number, StatusResult> {
    const results = [...this.#byStatus].map(([status, values]) => [
      status,
      {
        count: values.length,
        p50: quantile(values, 0.5),
        p99: quantile(values, 0.99),
        max: quantile(values, 1),
      },
    ]);
    return Object.fromEntries(results);
  }
}

const operations = {
  /** Sends requests for some time. Returns how many succeeded, per second and in all, and the counts by status. */
  async saturate({ seconds, ...target }: FloodTarget & { seconds: number }) {
    const repeated = await repeat(target, (elapsed) => elapsed < seconds * 1_000);
    const { succeeded, elapsedMs, counts } = repeated;
    return { perSecond: (succeeded * 1_000) / elapsedMs, succeeded, counts };
  },

  /**
   * Sends a number of requests. Returns the machine time at the first one.
   *
   * @throws Error if one does not succeed.
   */
  async send({ count, ...target }: FloodTarget & { count: number }): Promise<number> {
    let left = count;
    const { startedAt, succeeded, counts } = await repeat(target, () => {
      left -= 1;
      return left >= 0;
    });
    if (succeeded === count) return startedAt;
    throw new Error(`${count} requests should succeed: ${JSON.stringify(counts)} by status.`);
  },

  /** Sends requests at a fixed rate, whether or not earlier ones have their responses, on as many connections as that takes. */
  async flood({
    perSecond,
    seconds,
    ...target
  }: FloodTarget & { perSecond: number; seconds: number }): Promise<Record<number, StatusResult>> {
    const free = await openLines(target);
    const nextRequest = inTurn(target);
    const all = [...free];
    const durations = new Durations();
    const waiting: number[] = [];
    const underWay = new Set<Promise<void>>();
    async function run(line: Line, firstDueAt: number): Promise<void> {
      for (
        let dueAt: number | undefined = firstDueAt;
        dueAt !== undefined;
        dueAt = waiting.shift()
      ) {
        const status = await line.send(nextRequest());
        durations.add(status, machineTime() - dueAt);
      }
      free.push(line);
    }
    const startedAt = machineTime();
    const total = Math.round(perSecond * seconds);
    for (let sent = 0; sent < total; ) {
      const due = Math.min(total, Math.floor(((machineTime() - startedAt) * perSecond) / 1_000));
      for (; sent < due; sent += 1) {
        const dueAt = startedAt + ((sent + 1) * 1_000) / perSecond;
        // The one that was idle for the longest time, because servers close idle connections.
        const line = free.shift();
        if (line === undefined) {
          waiting.push(dueAt);
        } else {
          const running = run(line, dueAt).finally(() => underWay.delete(running));
          underWay.add(running);
        }
      }
      await setTimeout(1);
    }
    await Promise.all(underWay);
    for (const line of all) line.close();
    return durations.summarize();
  },
};

/** The operations of this process. */
export type FloodOperations = typeof operations;

serveParent(operations);
