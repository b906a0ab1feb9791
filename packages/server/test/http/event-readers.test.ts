import type { AccountEvent, EventPage, Order } from '@tradepost/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { makeTempFolder } from '../helpers/temp-folder';
import { type Actor, getData, type Service, startService } from './service';

/** One or two servers on one file, like two processes. */
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

/** The request of a writer, by a count that grows with each request and response. */
interface Placed {
  orderId: string;
  requestedAt: number;
  respondedAt: number;
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
    const page = JSON.parse((await server.request(path, { as })).text) as EventPage;
    expect(page.data.length).toBeLessThanOrEqual(limit);
    events.push(...page.data);
    cursor = page.nextCursor;
  }
  return events;
}

const getOrderId = ({ data }: AccountEvent) => ('orderId' in data ? data.orderId : '');

it('a reader that follows the log during writes gets every event once, in the order of the commits, from any server', async () => {
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
              const requestedAt = count;
              const body = { listingId: listing.id, quantity: 1 };
              const got = await servers.at(index).request('POST /v1/orders', { as: buyer, body });
              count += 1;
              placed.push({ orderId: getData<Order>(got).id, requestedAt, respondedAt: count });
            }
          };
          await Promise.all(writers.map(write));
          const logs = await Promise.all(reading);

          const [log = []] = logs;
          expect(new Set(log.map(({ id }) => id)).size).toBe(2 * orders);
          for (const other of logs) expect(other).toEqual(log);
          const created = log.filter(({ event }) => event === 'order.created').map(getOrderId);
          expect(created.toSorted()).toEqual(placed.map(({ orderId }) => orderId).toSorted());
          const respondedAt = new Map(placed.map((one) => [one.orderId, one.respondedAt]));
          const requestedAt = new Map(placed.map((one) => [one.orderId, one.requestedAt]));
          for (const [index, later] of created.entries()) {
            // No event follows one whose request was sent after the response to its own.
            for (const earlier of created.slice(0, index)) {
              expect(Number(respondedAt.get(later))).toBeGreaterThan(
                Number(requestedAt.get(earlier)),
              );
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
