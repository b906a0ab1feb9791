import type { EventPage, Order } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { noon } from '../helpers/builders';
import { settle } from '../helpers/fake-clock';
import { tempFile } from '../helpers/temp-folder';
import { DeliveringService } from './delivering-service';
import { type Actor, getData, startService } from './service';

let harness: DeliveringService;
let file: string;
let idleTimers: number;

beforeEach(async () => {
  file = tempFile();
  harness = await DeliveringService.start({ store: openSqliteStore(file) });
  await settle();
  idleTimers = harness.clock.pendingTimers;
});
afterEach(() => harness.close());

/** Lets turns of the event loop pass until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !isSo(); turn += 1) await settle();
  expect(isSo()).toBe(true);
}

/** Each request that waits has set two timers: when to look again, and when to give up. */
const areWaiting = (count: number) =>
  until(() => harness.clock.pendingTimers === idleTimers + 2 * count);

/** A request for events that waits. */
class Wait {
  answer: EventPage | undefined;
  readonly answered: Promise<EventPage>;
  readonly #hangUp = new AbortController();

  constructor(query: string, as: Actor = harness.buyer) {
    this.answered = this.#ask(query, as);
  }

  async #ask(query: string, { key }: Actor): Promise<EventPage> {
    const response = await fetch(`${harness.service.url}/v1/events${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: this.#hangUp.signal,
    });
    expect(response.status).toBe(200);
    this.answer = (await response.json()) as EventPage;
    return this.answer;
  }

  async hangUp(): Promise<void> {
    this.#hangUp.abort();
    await expect(this.answered).rejects.toThrow('aborted');
  }
}

async function cursorNow(as: Actor = harness.buyer): Promise<string> {
  const got = await harness.service.ask('GET /v1/events', { as });
  return (JSON.parse(got.text) as EventPage).nextCursor;
}

describe('waitSeconds', () => {
  it('responds at once if there are events', async () => {
    await harness.place();
    const { data } = await new Wait('?waitSeconds=30').answered;
    expect(data).toHaveLength(2);
  });

  it('responds at once without waitSeconds, or with 0', async () => {
    for (const query of ['', '?waitSeconds=0']) {
      expect((await new Wait(query).answered).data).toEqual([]);
    }
  });

  it('responds as soon as events happen, with all of them, to each waiting participant', async () => {
    const after = await cursorNow();
    const waits = [harness.buyer, harness.seller, harness.agent].map(
      (as) => new Wait(`?waitSeconds=30&after=${after}`, as),
    );
    await areWaiting(3);
    const order = await harness.place();
    for (const { answered } of waits) {
      const { data, nextCursor } = await answered;
      expect(data).toMatchObject([
        { event: 'order.created', data: { orderId: order.id } },
        { event: 'task.approval_requested', data: { orderId: order.id } },
      ]);
      expect(nextCursor).not.toBe(after);
    }
    await areWaiting(0);
  });

  it('responds with an empty page and the same cursor when the time is over, not before', async () => {
    await harness.place();
    const after = await cursorNow();
    const wait = new Wait(`?waitSeconds=30&after=${after}`);
    await areWaiting(1);
    await harness.clock.advance(29_999);
    await settle();
    expect(wait.answer).toBeUndefined();
    await harness.clock.advance(1);
    expect(await wait.answered).toEqual({ data: [], nextCursor: after });
    await areWaiting(0);
  });

  it.each([-3_600_000, 3_600_000])(
    'waits its time, no less and no more, though the clock is set by %i ms',
    async (correction) => {
      const wait = new Wait('?waitSeconds=20');
      await areWaiting(1);
      await harness.clock.advance(5_000);
      harness.clock.set(harness.clock.now() + correction);
      await harness.clock.advance(14_999);
      await settle();
      expect(wait.answer).toBeUndefined();
      await harness.clock.advance(1);
      expect((await wait.answered).data).toEqual([]);
    },
  );

  it('is not ended by what happens to others', async () => {
    const stranger = await harness.service.account('buyer');
    const wait = new Wait('?waitSeconds=10', stranger);
    await areWaiting(1);
    await harness.place();
    await settle();
    expect(wait.answer).toBeUndefined();
    await harness.clock.advance(10_000);
    expect((await wait.answered).data).toEqual([]);
  });

  it('waits for events since a time in the future', async () => {
    const since = new Date(noon + 5_000).toISOString();
    const wait = new Wait(`?waitSeconds=30&since=${since}`);
    await areWaiting(1);
    await harness.place();
    await harness.clock.advance(5_000);
    expect(wait.answer).toBeUndefined();
    const order = await harness.place();
    expect((await wait.answered).data).toMatchObject([
      { data: { orderId: order.id } },
      { data: { orderId: order.id } },
    ]);
  });

  it('sees what another server on the same file wrote within a second', async () => {
    const other = await startService({ store: openSqliteStore(file), clock: harness.clock });
    onTestFinished(() => other.close());
    await settle();
    idleTimers = harness.clock.pendingTimers;
    const wait = new Wait('?waitSeconds=30');
    await areWaiting(1);
    const body = { listingId: harness.listing.id, quantity: 1 };
    const order = getData<Order>(await other.ask('POST /v1/orders', { as: harness.buyer, body }));
    await settle();
    expect(wait.answer).toBeUndefined();
    await harness.clock.advance(1_000);
    const { data } = await wait.answered;
    expect(data[0]).toMatchObject({ event: 'order.created', data: { orderId: order.id } });
  });

  it('ends when the client hangs up, and leaves nothing behind', async () => {
    const waits = Array.from({ length: 5 }, () => new Wait('?waitSeconds=30'));
    await areWaiting(5);
    for (const wait of waits) await wait.hangUp();
    await areWaiting(0);
  });

  it('gets its response at once when the server stops', async () => {
    const after = await cursorNow();
    const waits = Array.from({ length: 3 }, () => new Wait(`?waitSeconds=30&after=${after}`));
    await areWaiting(3);
    const closed = harness.close();
    for (const { answered } of waits) {
      expect(await answered).toEqual({ data: [], nextCursor: after });
    }
    await closed;
    expect(harness.clock.pendingTimers).toBe(0);
  });

  it('is available to 100 requests of an account at once; further ones get a response without it', async () => {
    const waits = Array.from({ length: 100 }, () => new Wait('?waitSeconds=30'));
    await areWaiting(100);
    expect((await new Wait('?waitSeconds=30').answered).data).toEqual([]);
    const ofOther = new Wait('?waitSeconds=30', harness.seller);
    await areWaiting(101);
    await harness.place();
    for (const { answered } of [...waits, ofOther]) expect((await answered).data).toHaveLength(2);
    await areWaiting(0);
  });
});
