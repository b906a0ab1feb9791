import type { AccountEvent, EventPage, Order } from '@tradepost/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { makeTempFolder } from '../helpers/temp-folder';
import { type Actor, getData, type Service, startService } from './service';

/** One or two servers on one file, as processes side by side are. */
async function openServers(count: number) {
  const folder = makeTempFolder();
  const servers: Service[] = [];
  for (let index = 0; index < count; index += 1) {
    servers.push(await startService({ store: openSqliteStore(`${folder.path}/tradepost.db`) }));
  }
  return {
    at(index: number): Service {
      const server = servers[index % count];
      if (server === undefined) throw new Error('no server is open');
      return server;
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      folder.remove();
    },
  };
}

/** What one writer did, by a count that continues whenever someone asks or is answered. */
interface Placed {
  orderId: string;
  askedAt: number;
  answeredAt: number;
}

/** Reads an account's log page by page until it has so many events. */
async function follow(
  server: Service,
  as: Actor,
  { limit, total }: { limit: number; total: number },
): Promise<AccountEvent[]> {
  const events: AccountEvent[] = [];
  let cursor: string | null = null;
  while (events.length < total) {
    const after: string = cursor === null ? '' : `&after=${cursor}`;
    const path = `GET /v1/events?limit=${limit}&waitSeconds=5${after}`;
    const page = JSON.parse((await server.ask(path, { as })).text) as EventPage;
    expect(page.data.length).toBeLessThanOrEqual(limit);
    events.push(...page.data);
    cursor = page.nextCursor;
  }
  return events;
}

const orderOf = ({ data }: AccountEvent) => ('orderId' in data ? data.orderId : '');

it('a reader that follows the log during writes gets every event once, in the order of the commits, at any server', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        servers: fc.integer({ min: 1, max: 2 }),
        // How many orders each writer places, one after another.
        writers: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
        limits: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
      }),
      async ({ servers: count, writers, limits }) => {
        const servers = await openServers(count);
        try {
          const first = servers.at(0);
          const buyer = await first.account('buyer');
          const seller = await first.account('seller');
          const agent = await first.account('agent');
          const listing = await first.listing(seller, agent);
          const orders = writers.reduce((sum, own) => sum + own, 0);

          const reading = limits.flatMap((limit, index) =>
            [buyer, seller].map((as) =>
              follow(servers.at(index), as, { limit, total: 2 * orders }),
            ),
          );
          const placed: Placed[] = [];
          let count = 0;
          const write = async (own: number, index: number) => {
            for (let one = 0; one < own; one += 1) {
              count += 1;
              const askedAt = count;
              const body = { listingId: listing.id, quantity: 1 };
              const got = await servers.at(index).ask('POST /v1/orders', { as: buyer, body });
              count += 1;
              placed.push({ orderId: getData<Order>(got).id, askedAt, answeredAt: count });
            }
          };
          await Promise.all(writers.map(write));
          const logs = await Promise.all(reading);

          const [log = []] = logs;
          expect(new Set(log.map(({ id }) => id)).size).toBe(2 * orders);
          for (const other of logs) expect(other).toEqual(log);
          const created = log.filter(({ event }) => event === 'order.created').map(orderOf);
          expect(created.toSorted()).toEqual(placed.map(({ orderId }) => orderId).toSorted());
          const answeredAt = new Map(placed.map((one) => [one.orderId, one.answeredAt]));
          const askedAt = new Map(placed.map((one) => [one.orderId, one.askedAt]));
          for (const [index, later] of created.entries()) {
            // None stands behind one that was asked for after it had been answered.
            for (const earlier of created.slice(0, index)) {
              expect(Number(answeredAt.get(later))).toBeGreaterThan(Number(askedAt.get(earlier)));
            }
          }
        } finally {
          await servers.close();
        }
      },
    ),
    { numRuns: 6 },
  );
}, 60_000);
