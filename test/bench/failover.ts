import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { startPostgresPair } from '../../packages/server/test/helpers/postgres-pair';
import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { fillDatabase } from './database';
import { createFigure, type Figure } from './figure';
import { machineTime } from './loops';
import { type Receiver, startReceiver, waitForOrders } from './receiver';
import { formatCount } from './report';
import { startTwoProcesses } from './tradepost-server';

const sizes = {
  usual: { rounds: 5, ordersBefore: 500, ordersAfter: 500 },
  quick: { rounds: 1, ordersBefore: 20, ordersAfter: 20 },
};
const clients = 6;
const timeoutMs = 60_000;
const pauseMs = 5;

type Size = (typeof sizes)['usual'];

/** An order that the service acknowledged. Machine time. */
interface AcknowledgedOrder {
  id: string;
  /** When the request was sent that got the response. */
  sentAt: number;
  respondedAt: number;
}

/** Clients that create orders. */
interface Load {
  acknowledged: readonly AcknowledgedOrder[];
  /** Waits until a number of further orders that satisfy a condition are acknowledged. */
  waitFor(count: number, isWanted?: (order: AcknowledgedOrder) => boolean): Promise<void>;
  /** Lets each client finish its order. */
  stop(): Promise<void>;
}

/** Starts clients that repeat a request with the same idempotency key until it succeeds, as integrators do. */
function startLoad(api: ApiClient): Load {
  const acknowledged: AcknowledgedOrder[] = [];
  let isOver = false;
  async function createOrder(): Promise<void> {
    const idempotencyKey = randomUUID();
    for (const deadline = machineTime() + timeoutMs; ; await setTimeout(pauseMs)) {
      const sentAt = machineTime();
      try {
        const id = await api.createOrder(idempotencyKey);
        acknowledged.push({ id, sentAt, respondedAt: machineTime() });
        return;
      } catch (error) {
        if (machineTime() > deadline) throw error;
      }
    }
  }
  async function run(): Promise<void> {
    while (!isOver) await createOrder();
  }
  const running = Promise.all(Array.from({ length: clients }, run));
  // A failure is thrown by `stop`, or earlier by `waitFor`.
  let failure: Error | undefined;
  running.catch((error: Error) => {
    failure = error;
  });
  return {
    acknowledged,
    async waitFor(count, isWanted = () => true) {
      const from = acknowledged.length;
      while (acknowledged.slice(from).filter(isWanted).length < count) {
        if (failure !== undefined) throw failure;
        await setTimeout(pauseMs);
      }
    },
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** The times of a failover, in milliseconds. */
interface Failover {
  /** From the kill of the primary server to the first response to a change that was requested after it. */
  writes: number;
  /** From the kill to the first delivery of such a change. */
  deliveries: number;
  /** How long the promotion of the standby took. */
  promotion: number;
  /** How many changes were acknowledged before the kill and after it. All of them were found afterwards. */
  acknowledged: number;
}

/** Kills the primary server of a pair under load, and promotes the standby at once. */
async function failOver(
  environment: BenchEnvironment,
  receiver: Receiver,
  size: Size,
): Promise<Failover> {
  const pair = await startPostgresPair();
  let stopped: Promise<void> | undefined;
  function stopPair(): Promise<void> {
    stopped ??= pair.stop();
    return stopped;
  }
  environment.addCleanup(stopPair);
  const database = [{ urls: receiver.urls, backlog: 0, orders: 0 }];
  const [trade] = await fillDatabase(environment, pair.url, database);
  if (trade === undefined) throw new Error('The database has no trading accounts.');
  await receiver.call('resetCount', 0);
  const server = await startTwoProcesses(environment, pair.url);
  const api = new ApiClient(server.url, trade, clients);
  const load = startLoad(api);
  await load.waitFor(size.ordersBefore);

  const killedAt = machineTime();
  await pair.killPrimary();
  const endedAt = machineTime();
  await pair.promote();
  const promotion = machineTime() - endedAt;
  const isAfter = ({ sentAt }: AcknowledgedOrder) => sentAt > endedAt;
  await load.waitFor(size.ordersAfter, isAfter);
  await load.stop();

  const ids = new Set(load.acknowledged.map(({ id }) => id));
  if (ids.size < load.acknowledged.length) throw new Error('Two requests created one order.');
  for (const id of ids) await api.getOrder(id);
  await waitForOrders(receiver, ids, timeoutMs);
  const after = load.acknowledged.filter(isAfter);
  const idsAfter = new Set(after.map(({ id }) => id));
  const arrivals = await receiver.call('getArrivals', null);
  const firstArrival = arrivals.find(({ orderId }) => idsAfter.has(orderId))?.at ?? Number.NaN;
  await api.close();
  await server.stop();
  await stopPair();
  return {
    writes: Math.min(...after.map(({ respondedAt }) => respondedAt)) - killedAt,
    deliveries: firstArrival - killedAt,
    promotion,
    acknowledged: ids.size,
  };
}

/**
 * Measures how long changes and deliveries pause when the primary PostgreSQL server is killed under load and its synchronous
 * standby is promoted at once. Fails if an acknowledged change is lost or not delivered.
 */
export async function failover({ environment, quick, log }: BenchContext): Promise<Figure[]> {
  const size = quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, 1);
  await receiver.call('configure', { responds: true, recordsArrivals: true });
  const rounds: Failover[] = [];
  for (let round = 1; round <= size.rounds; round += 1) {
    log(`round ${round} of ${size.rounds}`);
    rounds.push(await failOver(environment, receiver, size));
  }
  await receiver.stop();
  const acknowledged = rounds.reduce((sum, round) => sum + round.acknowledged, 0);
  const figure = (what: string, ours: number[], ...notes: string[]): Figure =>
    createFigure({ bench: 'failover', what, unit: 'ms', ours, notes });
  return [
    figure(
      'kill of the primary to the first change after it',
      rounds.map(({ writes }) => writes),
      'The standby is promoted at once. Add the time that an operator or a tool takes to decide that.',
      `${formatCount(acknowledged)} changes were acknowledged by ${clients} clients. None was lost, and all were delivered.`,
    ),
    figure(
      'kill of the primary to the first delivery of a change after it',
      rounds.map(({ deliveries }) => deliveries),
    ),
    figure(
      'of these, the promotion of the standby',
      rounds.map(({ promotion }) => promotion),
    ),
  ];
}
