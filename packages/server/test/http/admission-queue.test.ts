import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdmissionQueue, maxQueueTimeMs } from '../../src/http/admission';
import { getQueuedMs } from '../../src/http/request-log';

const nextTurn = () => new Promise((done) => setImmediate(done));

/** A clock on which the work of requests takes time. */
class WorkClock extends FakeClock {
  #worked = 0;

  override elapsed(): number {
    return this.#worked;
  }

  work(milliseconds: number): void {
    this.#worked += milliseconds;
  }
}

let clock: WorkClock;
let handled: string[];
let rejected: string[];
let workMs: number;
let rejectMs: number;
let writeDelay: number;
let queue: AdmissionQueue;

beforeEach(() => {
  clock = new WorkClock();
  handled = [];
  rejected = [];
  workMs = 1;
  rejectMs = 0;
  writeDelay = 0;
  queue = new AdmissionQueue({
    clock,
    handle({ url = '' }) {
      handled.push(url);
      clock.work(workMs);
    },
    reject({ url = '' }) {
      rejected.push(url);
      clock.work(rejectMs);
    },
    isProbe: ({ url }) => url === '/livez',
    identify: ({ headers }) => headers.from ?? '',
    getWriteDelay: () => writeDelay,
  });
});

function send(url: string, method = 'GET', from = ''): ServerResponse {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { url, method, headers: { from } });
  const response = new ServerResponse(request);
  queue.listener(request, response);
  return response;
}

const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `/${from + index}`);

/** Waits until every request is handled or rejected. */
async function drain(): Promise<void> {
  while (queue.isBusy) await nextTurn();
}

describe('the admission queue', () => {
  afterEach(drain);

  it('handles requests at once while they are few', () => {
    const few = numbers(0, 32);
    for (const url of few) send(url);
    expect(handled).toEqual(few);
    expect(queue.length).toBe(0);
  });

  it('queues the rest of many that arrive together, and handles them in their order', async () => {
    const many = numbers(0, 400);
    for (const url of many) send(url);
    expect(handled.length).toBeLessThan(many.length);
    await drain();
    expect(handled).toEqual(many);
    expect(rejected).toEqual([]);
  });

  it('records how long each request waited', async () => {
    const waits: number[] = [];
    queue = new AdmissionQueue({
      clock,
      handle(request) {
        waits.push(getQueuedMs(request));
        clock.work(1);
      },
      reject() {},
      isProbe: () => false,
      identify: () => '',
      getWriteDelay: () => 0,
    });
    for (const url of numbers(0, 150)) send(url);
    await drain();
    expect(waits.slice(0, 100)).toEqual(Array(100).fill(0));
    // Those that follow arrived after 100 ms of work, and wait for those before them.
    expect(waits.slice(100)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('handles fewer in a turn when turns take long, but always some', async () => {
    for (const url of numbers(0, 600)) send(url);
    const shares: number[] = [];
    for (let before = handled.length; queue.length > 0; before = handled.length) {
      await nextTurn();
      shares.push(handled.length - before);
    }
    // Each takes a millisecond, and a turn should take 5.
    expect(shares[0]).toBe(80);
    expect(shares.at(-2)).toBe(8);
    expect(Math.min(...shares.slice(0, -1))).toBe(8);
    expect(rejected).toEqual([]);
  });

  it('handles few in a turn while connections arrive, because Node accepts one in a turn', async () => {
    for (const url of numbers(0, 400)) send(url);
    const shares: number[] = [];
    for (let before = handled.length; shares.length < 6; before = handled.length) {
      if (shares.length < 3) queue.noteConnection();
      await nextTurn();
      shares.push(handled.length - before);
    }
    expect(shares).toEqual([8, 8, 8, 80, 64, 51]);
  });

  it('rejects requests while it is so long that they would wait too long', async () => {
    for (const url of numbers(0, 600)) send(url);
    // Nothing is known about their rate until a turn has ended.
    expect(rejected).toEqual([]);
    await nextTurn();
    send('/hasty');
    expect(rejected).toEqual(['/hasty']);
    while (queue.length > 150) await nextTurn();
    send('/patient');
    await drain();
    expect(handled.at(-1)).toBe('/patient');
    expect(rejected).toEqual(['/hasty']);
  });

  it('rejects a request that has waited too long when it is its turn', async () => {
    for (const url of numbers(0, 150)) send(url);
    clock.work(maxQueueTimeMs + 1);
    await drain();
    expect(handled).toEqual(numbers(0, 100));
    expect(rejected).toEqual(numbers(100, 50));
    expect(queue.rejected).toBe(50);
  });

  /** Runs a turn. Returns how many requests it handled, and how many it rejected. */
  async function runTurn(): Promise<[handled: number, rejected: number]> {
    const before = [handled.length, rejected.length] as const;
    await nextTurn();
    return [handled.length - before[0], rejected.length - before[1]];
  }

  it('rejects requests for 20 ms in a turn, and the others in the next turns', async () => {
    for (const url of numbers(0, 700)) send(url);
    while ((await runTurn())[0] !== 8);
    rejectMs = 1;
    for (const url of numbers(700, 50)) send(url);
    expect(rejected).toEqual(numbers(700, 20));
    expect((await runTurn())[1]).toBe(20);
    expect((await runTurn())[1]).toBe(10);
    expect(rejected).toEqual(numbers(700, 50));
  });

  it('handles a request for every four rejections of the turn before, however long turns take', async () => {
    for (const url of numbers(0, 700)) send(url);
    while ((await runTurn())[0] !== 8);
    for (const url of numbers(700, 100)) send(url);
    expect(rejected).toEqual(numbers(700, 100));
    expect(await runTurn()).toEqual([25, 0]);
    expect(await runTurn()).toEqual([8, 0]);
  });

  it('rejects requests for 2 ms in a turn while connections arrive, and handles one for every four', async () => {
    for (const url of numbers(0, 700)) send(url);
    await nextTurn();
    queue.noteConnection();
    await nextTurn();
    rejectMs = 1 / 32;
    for (const url of numbers(700, 150)) send(url);
    expect(rejected).toEqual(numbers(700, 64));
    queue.noteConnection();
    expect(await runTurn()).toEqual([16, 64]);
    expect((await runTurn())[1]).toBe(22);
  });

  it('rejects requests while its first one has waited too long, and none afterwards', async () => {
    for (const url of numbers(0, 120)) send(url);
    clock.work(maxQueueTimeMs + 1);
    send('/late');
    send('/livez');
    expect(rejected).toEqual(['/late']);
    expect(queue.rejected).toBe(1);
    expect(handled.at(-1)).toBe('/livez');
    await drain();
    send('/later');
    expect(handled.at(-1)).toBe('/later');
    // Those that had waited before it were too late as well.
    expect(rejected).toEqual(['/late', ...numbers(100, 20)]);
    expect(queue.rejected).toBe(21);
  });

  it('takes a request of each sender in turn, and next the first one of a sender that had none', async () => {
    for (const url of numbers(0, 700)) send(url, 'GET', 'noisy');
    while (handled.length < 300) await nextTurn();
    const before = handled.length;
    for (const at of [1, 2, 3]) send(`/other${at}`, 'GET', 'other');
    send('/quiet', 'GET', 'quiet');
    await nextTurn();
    const next = handled.slice(before, before + 8);
    expect(next.filter((url) => !/^\/\d/.test(url))).toEqual([
      ...['/other1', '/quiet', '/other2', '/other3'],
    ]);
    expect(next.indexOf('/quiet')).toBeLessThan(4);
  });

  it('rejects requests of a sender that has more than its part of a long queue, and none of others', async () => {
    for (const url of numbers(0, 600)) send(url, 'GET', 'noisy');
    await nextTurn();
    send('/noisy', 'GET', 'noisy');
    send('/quiet', 'GET', 'quiet');
    expect(rejected).toEqual(['/noisy']);
    await nextTurn();
    expect(handled).toContain('/quiet');
    expect(queue.length).toBeGreaterThan(100);
  });

  it('rejects changes, and no reads, while the store does not write', () => {
    writeDelay = maxQueueTimeMs + 1;
    send('/change', 'PATCH');
    send('/read');
    expect([handled, rejected]).toEqual([['/read'], ['/change']]);
    writeDelay = 0;
    send('/again', 'PATCH');
    expect(handled).toEqual(['/read', '/again']);
  });

  it('does not handle a request whose client has disconnected meanwhile', async () => {
    for (const url of numbers(0, 150)) send(url);
    send('/gone').destroy();
    await drain();
    expect(handled).toEqual(numbers(0, 150));
  });

  it('handles or rejects each request once, those of a sender that it handles in their order', async () => {
    const step = fc.record({
      arrive: fc.nat(300),
      work: fc.nat(10),
      pause: fc.boolean(),
      senders: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        handled = [];
        rejected = [];
        let sent = 0;
        const sentBy = new Map<number, number>();
        for (const { arrive, work, pause, senders } of steps) {
          workMs = work;
          for (let index = sent; index < sent + arrive; index += 1) {
            sentBy.set(index, index % senders);
            send(`/${index}`, 'GET', String(index % senders));
          }
          sent += arrive;
          if (pause) await nextTurn();
        }
        await drain();
        const number = (url: string) => Number(url.slice(1));
        for (let sender = 0; sender < 5; sender += 1) {
          const own = handled.map(number).filter((index) => sentBy.get(index) === sender);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
        expect([...handled, ...rejected].map(number).toSorted((a, b) => a - b)).toEqual(
          numbers(0, sent).map(number),
        );
      }),
    );
  });
});
