import { attemptTimeoutMs } from '@tradepost/domain/deliveries/delivery';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { Order } from '@tradepost/domain/orders/order';
import { anAttempt, anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { aResult, leaseDue } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { place, Trade } from '../../helpers/trade';
import { checkIntegrity, inspectFile, readContents, sound } from './inspect-file';

const all = { after: null, limit: 10_000 };

let file: string;
let store: Store;
let trade: Trade;

/** Reopens the store with room for this many more pages of 4,096 bytes. */
function reopenWithRoom(pages: number): void {
  const used = inspectFile(file, (connection) => connection.pragma('page_count', { simple: true }));
  const opened = openSqliteStore(file, { maxPages: Number(used) + pages });
  onTestFinished(() => opened.close());
  store = opened;
  trade = trade.on(opened);
}

/** Places orders until the next one does not fit. */
async function fill(): Promise<Order[]> {
  const placed: Order[] = [];
  for (;;) {
    try {
      placed.push(await trade.place({ quantity: 1 }));
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailableError);
      return placed;
    }
  }
}

/** Makes room without the store, as another process would. */
function makeRoom(): void {
  inspectFile(file, (connection) => connection.exec('DELETE FROM notifications'));
}

async function orders(): Promise<Order[]> {
  return await store.orders.listOrders(trade.seller, {}, all);
}

beforeEach(async () => {
  file = tempFile();
  const roomy = openSqliteStore(file);
  trade = await Trade.open(roomy, { availableQuantity: 100_000 });
  await trade.subscribe(trade.buyer, ['order.created']);
  await roomy.close();
  reopenWithRoom(40);
});

describe('a store whose file cannot grow', () => {
  test('rejects a change that does not fit completely, and reads continue', async () => {
    const placed = await fill();
    expect(placed.length).toBeGreaterThan(0);
    const before = readContents(file);
    await expect(trade.place()).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(readContents(file)).toEqual(before);
    expect(await orders()).toEqual(placed.reverse());
    expect(await trade.unitsLeft()).toBe(100_000 - placed.length);
    expect(checkIntegrity(file)).toEqual(sound);
  });

  test('accepts or rejects each of the changes that arrive together by itself', async () => {
    const placed: string[] = [];
    for (let rejected = 0; rejected === 0; ) {
      const together = Array.from({ length: 20 }, () => trade.place({ quantity: 1 }));
      for (const outcome of await Promise.allSettled(together)) {
        if (outcome.status === 'fulfilled') placed.push(outcome.value.id);
        else {
          expect(outcome.reason).toBeInstanceOf(StoreUnavailableError);
          rejected += 1;
        }
      }
    }
    expect((await orders()).map(({ id }) => id).sort()).toEqual(placed.sort());
    expect(await trade.unitsLeft()).toBe(100_000 - placed.length);
    expect(checkIntegrity(file)).toEqual(sound);
  });

  test('continues without being reopened once there is room', async () => {
    const placed = await fill();
    makeRoom();
    const more = await fill();
    expect(more.length).toBeGreaterThan(0);
    expect(await orders()).toHaveLength(placed.length + more.length);
    expect(checkIntegrity(file)).toEqual(sound);
  });

  test('keeps no idempotency key of a request that did not fit', async () => {
    const key = anIdempotencyKey({ accountId: trade.buyer.accountId });
    const placing = { listing: trade.listing, idempotencyKey: key };
    await fill();
    await expect(place(store, trade.buyer, placing)).rejects.toBeInstanceOf(StoreUnavailableError);
    makeRoom();
    const first = await place(store, trade.buyer, placing);
    expect(first.replayed).toBe(false);
    expect(await place(store, trade.buyer, placing)).toEqual({ ...first, replayed: true });
  });

  test('rejects results of deliveries that do not fit; the leases stay valid, and the results are recorded once there is room', async () => {
    for (let count = 0; count < 4; count += 1) await trade.place({ quantity: 1 });
    const leased = await leaseDue(store, noon);
    expect(leased).toHaveLength(4);
    await fill();
    const responseSnippet = 'Not now. '.repeat(111);
    const end = noon + attemptTimeoutMs;
    const outcomes = leased.map((delivery) =>
      aResult(delivery, {
        attempt: anAttempt({ responseSnippet, headers: { 'X-Long': responseSnippet } }),
      }),
    );
    const before = readContents(file);
    const recording = store.deliveries.recordAttempts(outcomes, end);
    await expect(recording).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(readContents(file)).toEqual(before);

    makeRoom();
    await store.deliveries.recordAttempts(outcomes, end);
    const states = inspectFile(file, (connection) =>
      connection.prepare("SELECT count(*) FROM deliveries WHERE state = 'delivered'").pluck().get(),
    );
    expect(states).toBe(4);
    expect(checkIntegrity(file)).toEqual(sound);
  });

  test('may open a file larger than allowed, read it, and write what fits', async () => {
    const placed = await fill();
    await store.close();
    store = openSqliteStore(file, { maxPages: 1 });
    trade = trade.on(store);
    onTestFinished(() => store.close());
    expect(await orders()).toHaveLength(placed.length);
    await expect(trade.place()).rejects.toBeInstanceOf(StoreUnavailableError);
    makeRoom();
    await trade.place();
    expect(await orders()).toHaveLength(placed.length + 1);
  });
});
