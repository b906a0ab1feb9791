import { ApiClient } from './api-client';
import type { BareServiceOperations, BareServiceSpec } from './bare-service-process';
import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { type Checkout, type Checkouts, createCheckouts } from './checkouts';
import type { Template } from './database';
import { createFigure, type Figure, type Goal } from './figure';
import { closedLoop } from './loops';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 5, callers: 32, warmUp: 2, seconds: 4, orders: 1_000_000 },
  quick: { rounds: 1, callers: 4, warmUp: 0.1, seconds: 0.2, orders: 100 },
};
const page = '?status=pending&limit=20';

type Size = (typeof sizes)['usual'];
type Database = Template<[TradingAccounts]>;
type Databases = { full: Database; empty: Database };
/** Measures how often something is done per second. */
type Measure = () => Promise<number>;
type Request = (api: ApiClient) => Promise<unknown>;

/** Measures requests per second to a server of this or another checkout. */
function toServer(
  { environment }: BenchContext,
  { bin, databases }: Checkout<Databases>,
  database: keyof Databases,
  size: Size,
  request: Request,
): Measure {
  const { use, trades } = databases[database];
  const [trade] = trades;
  return () =>
    use(async (file) => {
      const server = await startTradepostServer(environment, file, [], bin);
      const api = new ApiClient(server.url, trade, size.callers);
      const perSecond = await closedLoop(size, () => request(api));
      await Promise.all([api.close(), server.stop()]);
      return perSecond;
    });
}

/** Measures requests per second to a service with nothing but the query. */
function toBareService(
  { environment }: BenchContext,
  { use, trades: [trade] }: Database,
  size: Size,
  request: Request,
  framework: BareServiceSpec['framework'],
): Measure {
  return () =>
    use(async (file) => {
      const program = new URL('./bare-service-process.ts', import.meta.url);
      const service = startBenchProcess<BareServiceOperations>(environment, program);
      const { buyer, seller, listingId, webhooks } = trade;
      const url = await service.call('start', {
        file,
        buyerId: buyer.id,
        sellerId: seller.id,
        listingId,
        webhookId: webhooks[0]?.id ?? '',
        framework,
      });
      const api = new ApiClient(url, trade, size.callers);
      const perSecond = await closedLoop(size, () => request(api));
      await Promise.all([api.close(), service.stop()]);
      return perSecond;
    });
}

const baselines = {
  express: 'Express 5 without authentication and validation',
  node: 'node:http without authentication and validation',
  other: 'the other checkout',
};

/** Compares our server with bare services, and with that of another checkout if there is one. */
async function compare(
  context: BenchContext,
  { ours: checkout, other }: Checkouts<Databases>,
  database: keyof Databases,
  size: Size,
  what: string,
  request: Request,
  goals: { express?: number; node: number },
): Promise<Figure[]> {
  const bare = checkout.databases[database];
  const sides: Record<string, Measure> = {
    ours: toServer(context, checkout, database, size, request),
    node: toBareService(context, bare, size, request, 'node:http'),
  };
  if (goals.express !== undefined) {
    sides.express = toBareService(context, bare, size, request, 'express');
  }
  if (other !== null) sides.other = toServer(context, other, database, size, request);
  const { ours = [], ...others } = await interleave(size.rounds, sides, context.log, what);
  return Object.entries(others).map(([side, values]) => {
    const value = goals[side as keyof typeof goals];
    const goal: Goal | undefined =
      value === undefined ? undefined : { of: 'ratio', bound: 'at least', value };
    return createFigure({
      bench: 'requests',
      what,
      unit: '/s',
      ours,
      baseline: { what: baselines[side as keyof typeof baselines], values },
      ...(goal && { goal }),
    });
  });
}

/** Measures how many requests per second the API handles, against services that only run the same SQL. */
export async function requests(context: BenchContext): Promise<Figure[]> {
  const size = context.quick ? sizes.quick : sizes.usual;
  context.log(`adding ${formatCount(size.orders)} orders`);
  // The bare service writes a delivery with each order. Ours has no webhook for it, but an entry in two event logs.
  const webhook = {
    urls: ['http://127.0.0.1:9/unused'],
    events: ['listing.availability_low'],
  } as const;
  const checkouts = await createCheckouts(context, {
    full: [{ ...webhook, backlog: 0, orders: 0, filledOrders: size.orders }],
    empty: [{ ...webhook, backlog: 0, orders: 0 }],
  });
  return [
    ...(await compare(
      context,
      checkouts,
      'full',
      size,
      `pages of 20 orders by status, of ${formatCount(size.orders)} orders`,
      (api) => api.listOrders(page),
      { express: 0.9, node: 0.5 },
    )),
    ...(await compare(
      context,
      checkouts,
      'empty',
      size,
      `orders created by ${size.callers} clients, without a webhook`,
      (api) => api.createOrder(),
      { node: 0.65 },
    )),
  ];
}
