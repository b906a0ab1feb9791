import { type Order, type OrderStatus, Tradepost } from '@tradepost/sdk';
import type { SeededAccount, SeedResult } from '@tradepost/server';
import { expect } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { registerWebhook } from '../../helpers/register-webhook';
import { runOperator, runServerCommand } from '../../helpers/run-server-command';
import { type Receiver, startHttpReceiver } from '../../helpers/start-receiver';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';

/** An account that trades, with a receiver of its events. */
export interface Trader {
  id: string;
  client: Tradepost;
  receiver: Receiver;
}

/** The way of an order that the seller completes. */
export const toCompletion = ['confirmed', 'fulfilling', 'completed'] as const;

/** How many requests are sent at once. */
const concurrency = 4;

/** Two buyers, a seller and an agent on a real server, and what its responses said about their orders. */
export class Market {
  /** The status of each order, and how often it changed. */
  readonly known = new Map<string, { order: Order; changes: number }>();

  private constructor(
    readonly server: ServerProcess,
    readonly listingId: string,
    readonly buyer: Trader,
    readonly seller: Trader,
    readonly agent: Trader,
    readonly stranger: Trader,
  ) {}

  /** Starts a server on a seeded database, SQLite or PostgreSQL. Everything ends with the test. */
  static async open(database: string, { accounts }: SeedResult): Promise<Market> {
    const server = await forTest(startServerProcess(database, ['--rate-limit', '100000000']));
    const [buyer, seller, agent, stranger] = accounts;
    if (!(buyer && seller && agent && stranger)) throw new Error('there are four accounts');
    const parties = ['--seller', seller.id, '--agent', agent.id];
    const { id } = await runServerCommand<{ id: string }>(
      ['listings', 'create', ...parties, '--quantity', '1000000'],
      database,
    );
    const enter = async ({ id, apiKey }: SeededAccount): Promise<Trader> => {
      const receiver = await forTest(startHttpReceiver());
      const client = new Tradepost({ baseUrl: server.url, apiKey });
      await registerWebhook(client, {
        url: receiver.url,
        events: ['order.created', 'order.status_changed'],
      });
      return { id, client, receiver };
    };
    const traders = [enter(buyer), enter(seller), enter(agent), enter(stranger)] as const;
    return new Market(server, id, ...(await Promise.all(traders)));
  }

  /** Places an order of one unit. */
  async place({ client }: Trader): Promise<Order> {
    const order = await client.orders.create({ listingId: this.listingId, quantity: 1 });
    this.known.set(order.id, { order, changes: 0 });
    return order;
  }

  /** Places many orders, several at once. */
  async placeMany(buyer: Trader, count: number): Promise<Order[]> {
    const orders: Order[] = [];
    const each = Array.from({ length: count / concurrency });
    const connections = Array.from({ length: concurrency }, async () => {
      for (const _ of each) orders.push(await this.place(buyer));
    });
    await Promise.all(connections);
    return orders;
  }

  /** Changes an order as one of its parties. */
  async move({ client }: Trader, { id }: Order, status: OrderStatus): Promise<void> {
    await client.orders.update(id, { status });
    const known = this.known.get(id);
    if (known === undefined) throw new Error(`${id} was not placed here`);
    known.order = { ...known.order, status };
    known.changes += 1;
  }

  /** Runs `tradepost-server accounts` with an account. */
  async operate(command: 'suspend' | 'erase', { id }: Trader): Promise<Record<string, number>> {
    const yes = command === 'erase' ? ['--yes'] : [];
    return await runServerCommand(['accounts', command, id, ...yes], this.server.database);
  }

  /** Expects that `tradepost-server check` finds nothing. */
  async expectSound(): Promise<void> {
    const { code, stdout, stderr } = await runOperator([
      'check',
      '--database',
      this.server.database,
    ]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout, stderr: '' });
  }

  /** Expects that nothing is left of an account but what the other parties of its orders need. */
  async expectErased({ id }: Trader): Promise<void> {
    const { database } = this.server;
    const { stdout } = await runOperator(['accounts', 'export', id, '--database', database]);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    const kept = ['account', 'auditEntry', 'listing', 'order', 'partner'];
    expect([...new Set(types)].filter((type) => !kept.includes(type))).toEqual([]);
    expect(types).toContain('order');
    const show = await runServerCommand(['accounts', 'show', id], database);
    expect(show).toMatchObject({ state: 'erased', keys: 0, webhooks: 0, pendingDeliveries: 0 });
  }

  /** Expects that an account has all of its orders, with an event, a notification and a delivery of each change. */
  async expectComplete({ id, client, receiver }: Trader): Promise<void> {
    const own = [...this.known.values()].filter(({ order }) =>
      [order.buyerId, order.sellerId, order.agentId].includes(id),
    );
    expect(own.length).toBeGreaterThan(0);
    const all = { limit: Number.POSITIVE_INFINITY };
    const orders = await client.orders.list({ limit: 100 }).toArray(all);
    const statuses = new Map(orders.map((order) => [order.id, order.status]));
    expect(own.filter(({ order }) => statuses.get(order.id) !== order.status)).toEqual([]);

    const expected = own.flatMap(({ order, changes }) => [
      `${order.id} order.created`,
      ...Array.from({ length: changes }, () => `${order.id} order.status_changed`),
    ]);
    const events = await client.events.list({ limit: 100 }).toArray(all);
    const logged = events.flatMap((one) => {
      if (one.event !== 'order.created' && one.event !== 'order.status_changed') return [];
      const { orderId } = one.data;
      return this.known.has(orderId) ? [{ id: one.id, name: `${orderId} ${one.event}` }] : [];
    });
    expect(logged.map(({ name }) => name).sort()).toEqual(expected.sort());
    const notifications = await client.notifications.list({ limit: 100 }).toArray(all);
    const ofMarket = notifications.filter(
      ({ orderId, type }) => this.known.has(orderId) && type.startsWith('order_'),
    );
    expect(ofMarket.length).toBe(expected.length);

    const ids = new Set(logged.map(({ id: eventId }) => eventId));
    await receiver.until((arrivals) => {
      const arrived = new Set(arrivals.map(({ headers }) => headers['webhook-id']));
      return [...ids].every((one) => arrived.has(one));
    });
  }

  /** Returns the errors that the server logged. */
  readErrors(): string[] {
    const lines = this.server.stderr().split('\n');
    return lines.filter((line) => /"level":[56]0/.test(line));
  }
}
