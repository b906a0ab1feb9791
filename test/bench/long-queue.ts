import type { BenchEnvironment } from './bench-environment';
import { createDatabases, type Template } from './database';
import { type Receiver, startReceiver } from './receiver';
import type { TradingAccounts } from './trading-accounts';

/** A database in which the endpoints of one account have a very long queue, and those of another none. */
export interface LongQueue {
  /** Endpoints of the first seller, which have nothing queued. */
  healthy: Receiver;
  /** Endpoints of the second seller, who has the queue. */
  crowd: Receiver;
  database: Template<[TradingAccounts, TradingAccounts]>;
  /** How many deliveries are queued. */
  deliveries: number;
}

const usual = 1_000_000;
const quick = 2_000;

/** The number of endpoints of each. */
export const endpoints = { healthy: 5, crowd: 10 };

/** Returns the number of deliveries in a long queue. */
export function longQueueSize(isQuick: boolean): number {
  return isQuick ? quick : usual;
}

/** Creates the database and starts its receivers, which respond by default. */
export async function createLongQueue(
  environment: BenchEnvironment,
  isQuick: boolean,
): Promise<LongQueue> {
  const healthy = await startReceiver(environment, endpoints.healthy);
  const crowd = await startReceiver(environment, endpoints.crowd);
  const deliveries = longQueueSize(isQuick);
  const { long } = await createDatabases(environment, {
    long: [
      { urls: healthy.urls, backlog: 0, orders: 0 },
      { urls: crowd.urls, backlog: deliveries, orders: 0 },
    ],
  });
  return { healthy, crowd, database: long, deliveries };
}
