import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { answerParent } from './answer-parent';
import { machineTime } from './machine-time';
import { RequestCutter } from './request-cutter';

/** The arrival of a delivery. */
export interface Arrival {
  /** The order that its event is about. */
  orderId: string;
  /** The machine's monotonic time. */
  at: number;
}

/** What a receiver counted since it was told to. */
export interface Count {
  arrived: number;
  /** When the arrival came that was to be noted; null when it has not. Machine time. */
  noted: number | null;
  /** The most connections that were open at once. */
  connections: number;
}

const answer = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const orderId = /ord_\w+/;

let answers = true;
let keeps = false;
let arrivals: Arrival[] = [];
let open = 0;
let count: Count = { arrived: 0, noted: null, connections: 0 };
let note = 0;
let waiting: { target: number; done: () => void } | null = null;

function arrive(body: Buffer): void {
  count.arrived += 1;
  if (keeps)
    arrivals.push({ orderId: orderId.exec(body.toString())?.[0] ?? '', at: machineTime() });
  if (count.arrived === note) count.noted = machineTime();
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
      arrive(body);
      if (answers) socket.write(answer);
    }
  });
}

const verbs = {
  /** Opens endpoints and returns their URLs. */
  async listen(endpoints: number): Promise<string[]> {
    const urls: string[] = [];
    for (let number = 1; number <= endpoints; number += 1) {
      const server = createServer(receive).listen(0, '127.0.0.1');
      await once(server, 'listening');
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/deliveries`);
    }
    return urls;
  },

  /** Whether deliveries are answered, and whether their arrivals are kept one by one. */
  behave(how: { answers: boolean; keeps: boolean }): void {
    ({ answers, keeps } = how);
  },

  /**
   * Counts anew, and notes the time of one arrival.
   *
   * @param number The arrival to note, from 1.
   */
  countAnew(number: number): void {
    note = number;
    arrivals = [];
    count = { arrived: 0, noted: null, connections: open };
  },

  /** Waits for so many arrivals since it counts. */
  until(target: number): Promise<void> {
    return new Promise((done) => {
      waiting = { target, done };
      if (count.arrived >= target) done();
    });
  },

  /** What was counted so far. */
  counted: (_: null): Count => count,

  /** The arrivals that were kept. */
  kept: (_: null): Arrival[] => arrivals,
};

/** What the receiver can be asked. */
export type ReceiverVerbs = typeof verbs;

answerParent(verbs);
