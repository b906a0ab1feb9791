import type { Workplace } from './bench-environment';
import { makeDatabases, type Template } from './database';
import { type Receiver, startReceiver } from './receiver';
import type { Trade } from './trade';

/** A database in which endpoints of one account have a very long queue, beside another's that have none. */
export interface LongQueue {
  /** Endpoints of the first trade's seller, who has nothing queued. */
  healthy: Receiver;
  /** Endpoints of the second trade's seller, who has the queue. */
  crowd: Receiver;
  database: Template<[Trade, Trade]>;
  /** How many deliveries are queued. */
  deliveries: number;
}

const usual = 1_000_000;
const quick = 2_000;

/** How many endpoints each of the two has. */
export const endpoints = { healthy: 5, crowd: 10 };

/** How many deliveries a long queue has. */
export function longQueueSize(isQuick: boolean): number {
  return isQuick ? quick : usual;
}

/** Makes the database and starts its receivers, all of which answer until told otherwise. */
export async function makeLongQueue(place: Workplace, isQuick: boolean): Promise<LongQueue> {
  const healthy = await startReceiver(place, endpoints.healthy);
  const crowd = await startReceiver(place, endpoints.crowd);
  const deliveries = longQueueSize(isQuick);
  const { long } = await makeDatabases(place, {
    long: [
      { urls: healthy.urls, backlog: 0, orders: 0 },
      { urls: crowd.urls, backlog: deliveries, orders: 0 },
    ],
  });
  return { healthy, crowd, database: long, deliveries };
}
