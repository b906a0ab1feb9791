import { createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../helpers/loopback';
import { machineTime } from './loops';
import { RequestCutter } from './request-cutter';
import { serveParent } from './serve-parent';

/** The arrival of a delivery. */
export interface Arrival {
  /** The order that its event is about. */
  orderId: string;
  /** The machine's monotonic time. */
  at: number;
}

/** What a receiver has counted since the last reset. */
export interface Count {
  arrived: number;
  /** When the selected arrival happened, or null. Machine time. */
  notedAt: number | null;
  /** The largest number of connections that were open at once. */
  connections: number;
}

const acknowledgement = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const orderId = /ord_\w+/;

let responds = true;
let recordsArrivals = false;
let arrivals: Arrival[] = [];
let open = 0;
let count: Count = { arrived: 0, notedAt: null, connections: 0 };
let selected = 0;
let waiting: { target: number; done: () => void } | null = null;

function recordArrival(body: Buffer): void {
  count.arrived += 1;
  if (recordsArrivals)
    arrivals.push({ orderId: orderId.exec(body.toString())?.[0] ?? '', at: machineTime() });
  if (count.arrived === selected) count.notedAt = machineTime();
  if (waiting !== null && count.arrived >= waiting.target) waiting.done();
}

function receive(socket: Socket): void {
  const cutter = new RequestCutter();
  open += 1;
  count.connections = Math.max(count.connections, open);
  socket.setNoDelay(true);
  // A sender that is killed resets its connections.
  socket.on('error', () => {});
  socket.on('close', () => {
    open -= 1;
  });
  socket.on('data', (chunk) => {
    for (const body of cutter.push(chunk)) {
      recordArrival(body);
      if (responds) socket.write(acknowledgement);
    }
  });
}

const operations = {
  /** Opens endpoints and returns their URLs. */
  async listen(endpoints: number): Promise<string[]> {
    const urls: string[] = [];
    for (let number = 1; number <= endpoints; number += 1) {
      const port = await listenOnLoopback(createServer(receive));
      urls.push(`http://127.0.0.1:${port}/deliveries`);
    }
    return urls;
  },

  /** Sets whether deliveries get a response, and whether each arrival is recorded. */
  configure(options: { responds: boolean; recordsArrivals: boolean }): void {
    ({ responds, recordsArrivals } = options);
  },

  /**
   * Resets the count, and selects the arrival whose time is recorded.
   *
   * @param number The arrival, from 1.
   */
  resetCount(number: number): void {
    selected = number;
    arrivals = [];
    count = { arrived: 0, notedAt: null, connections: open };
  },

  /** Waits for `target` arrivals since the last reset. */
  waitFor(target: number): Promise<void> {
    return new Promise((done) => {
      waiting = { target, done };
      if (count.arrived >= target) done();
    });
  },

  /** Returns the count. */
  getCount: (_: null): Count => count,

  /** Returns the recorded arrivals. */
  getArrivals: (_: null): Arrival[] => arrivals,
};

/** The operations of a receiver. */
export type ReceiverOperations = typeof operations;

serveParent(operations);
