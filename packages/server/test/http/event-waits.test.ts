import type { EventPage, Order } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { settle, settleUntil } from '@tradepost/domain/test/fake-clock';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
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

/** Each waiting request has two timers: the next poll, and the end of the wait. */
const areWaiting = (count: number) =>
  settleUntil(() => harness.clock.pendingTimers === idleTimers + 2 * count);

/** A waiting request for events. */
class Wait {
  page: EventPage | undefined;
  readonly response: Promise<EventPage>;
  readonly #hangUp = new AbortController();

  constructor(query: string, as: Actor = harness.buyer) {
    this.response = this.#request(query, as);
  }

  async #request(query: string, { key }: Actor): Promise<EventPage> {
    const response = await fetch(`${harness.service.url}/v1/events${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: this.#hangUp.signal,
    });
    expect(response.status).toBe(200);
    this.page = (await response.json()) as EventPage;
    return this.page;
  }

  async hangUp(): Promise<void> {
    this.#hangUp.abort();
    await expect(this.response).rejects.toThrow('aborted');
  }
}

async function cursorNow(as: Actor = harness.buyer): Promise<string> {
  const got = await harness.service.request('GET /v1/events', { as });
  return (JSON.parse(got.text) as EventPage).nextCursor;
}

describe('waitSeconds', () => {
  it('responds at once if there are events', async () => {
    await harness.place();
    const { data } = await new Wait('?waitSeconds=30').response;
    expect(data).toHaveLength(2);
  });

  it('responds at once without waitSeconds, or with 0', async () => {
    for (const query of ['', '?waitSeconds=0']) {
      expect((await new Wait(query).response).data).toEqual([]);
    }
  });

  it('responds as soon as events happen, with all of them, to each waiting participant', async () => {
    const after = await cursorNow();
    const waits = [harness.buyer, harness.seller, harness.agent].map(
      (as) => new Wait(`?waitSeconds=30&after=${after}`, as),
    );
    await areWaiting(3);
    const order = await harness.place();
    for (const { response } of waits) {
      const { data, nextCursor } = await response;
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
    expect(wait.page).toBeUndefined();
    await harness.clock.advance(1);
    expect(await wait.response).toEqual({ data: [], nextCursor: after, hasMore: false });
    await areWaiting(0);
  });

  it.each([-3_600_000, 3_600_000])(
    'waits exactly its time, although the clock is set by %i ms',
    async (correction) => {
      const wait = new Wait('?waitSeconds=20');
      await areWaiting(1);
      await harness.clock.advance(5_000);
      harness.clock.set(harness.clock.now() + correction);
      await harness.clock.advance(14_999);
      await settle();
      expect(wait.page).toBeUndefined();
      await harness.clock.advance(1);
      expect((await wait.response).data).toEqual([]);
    },
  );

  it('does not end with the events of others', async () => {
    const stranger = await harness.service.account('buyer');
    const wait = new Wait('?waitSeconds=10', stranger);
    await areWaiting(1);
    await harness.place();
    await settle();
    expect(wait.page).toBeUndefined();
    await harness.clock.advance(10_000);
    expect((await wait.response).data).toEqual([]);
  });

  it('waits for the next event since a time in the future, which may be that of a clock that is ahead', async () => {
    const since = new Date(noon + 5_000).toISOString();
    const wait = new Wait(`?waitSeconds=30&since=${since}`);
    await areWaiting(1);
    const order = await harness.place();
    expect((await wait.response).data).toMatchObject([
      { data: { orderId: order.id } },
      { data: { orderId: order.id } },
    ]);
  });

  it('returns within a second what another server wrote to the same file', async () => {
    const other = await startService({ store: openSqliteStore(file), clock: harness.clock });
    onTestFinished(() => other.close());
    await settle();
    idleTimers = harness.clock.pendingTimers;
    const wait = new Wait('?waitSeconds=30');
    await areWaiting(1);
    const body = { listingId: harness.listing.id, quantity: 1 };
    const order = getData<Order>(
      await other.request('POST /v1/orders', { as: harness.buyer, body }),
    );
    await settle();
    expect(wait.page).toBeUndefined();
    await harness.clock.advance(1_000);
    const { data } = await wait.response;
    expect(data[0]).toMatchObject({ event: 'order.created', data: { orderId: order.id } });
  });

  it('ends when the client disconnects, and leaves nothing behind', async () => {
    const waits = Array.from({ length: 5 }, () => new Wait('?waitSeconds=30'));
    await areWaiting(5);
    for (const wait of waits) await wait.hangUp();
    await areWaiting(0);
  });

  it('ends with a response at once when the server stops', async () => {
    const after = await cursorNow();
    const waits = Array.from({ length: 3 }, () => new Wait(`?waitSeconds=30&after=${after}`));
    await areWaiting(3);
    const closed = harness.close();
    for (const { response } of waits) {
      expect(await response).toEqual({ data: [], nextCursor: after, hasMore: false });
    }
    await closed;
    expect(harness.clock.pendingTimers).toBe(0);
  });

  it('delays up to 100 requests of an account at once; further ones do not wait', async () => {
    const waits = Array.from({ length: 100 }, () => new Wait('?waitSeconds=30'));
    await areWaiting(100);
    expect((await new Wait('?waitSeconds=30').response).data).toEqual([]);
    const ofOther = new Wait('?waitSeconds=30', harness.seller);
    await areWaiting(101);
    await harness.place();
    for (const { response } of [...waits, ofOther]) expect((await response).data).toHaveLength(2);
    await areWaiting(0);
  });
});
