import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import { machineTime } from './machine-time';
import { quantile } from './quantiles';
import { collectReceipts, type OrderTimes, type Receipt } from './receipts';
import { type Receiver, startReceiver } from './receiver';
import { interleave } from './rounds';
import { createTarget, signedPost } from './signed-post';
import { startTradepostServer } from './tradepost-server';
import { orderCreatedBody, type TradingAccounts } from './trading-accounts';
import { withTimeout } from './with-timeout';

const sizes = {
  usual: { rounds: 5, orders: 150, warmUp: 300 },
  quick: { rounds: 1, orders: 20, warmUp: 5 },
};
/** Time for the engine to become idle again, between two orders. */
const idleMs = 10;
/** How long one delivery may take, in seconds. */
const timeoutSeconds = 10;

/** Repeats something that causes one delivery, each time after the last delivery has arrived. */
async function runOneByOne(
  receiver: Receiver,
  count: number,
  act: (number: number) => Promise<string>,
): Promise<Receipt[]> {
  await receiver.call('resetCount', 0);
  const times = new Map<string, OrderTimes>();
  for (let number = 1; number <= count; number += 1) {
    const sentAt = machineTime();
    const id = await act(number);
    times.set(id, { sentAt, respondedAt: machineTime() });
    const arrival = receiver.call('waitFor', number);
    await withTimeout(
      timeoutSeconds,
      arrival,
      () => `No delivery of ${id} arrived in ${timeoutSeconds} s.`,
    );
    await setTimeout(idleMs);
  }
  return (await collectReceipts(receiver, times, 1, 0)).receipts;
}

function createPost(agent: Agent, trade: TradingAccounts): (number: number) => Promise<string> {
  const [webhook] = trade.webhooks;
  if (webhook === undefined) throw new Error('There is no webhook to post to.');
  const target = createTarget(webhook);
  return async (number) => {
    const idEnd = `01KAJ8Q0V7T3M5X9R2C4${String(number).padStart(6, '0')}`;
    const id = `ord_${idEnd}`;
    await signedPost(agent, target, `evt_${idEnd}`, orderCreatedBody(trade, id, Date.now()));
    return id;
  };
}

const medians = (rounds: Receipt[][], part: keyof Receipt) =>
  rounds.map((receipts) =>
    quantile(
      receipts.map((receipt) => receipt[part]),
      0.5,
    ),
  );

/**
 * Measures the time from an order to the receipt of its event on an idle server, against a bare POST to the same
 * receiver. The commit is between the request and its response, so the time since the request is an upper bound,
 * and the time since the response a lower one.
 */
export async function latency(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, 1);
  await receiver.call('configure', { responds: true, recordsArrivals: true });
  const spec = { urls: receiver.urls, backlog: 0, orders: 0 };
  const { empty } = await createDatabases(environment, { empty: [spec] });
  const [trade] = empty.trades;
  const agent = new Agent();
  const post = createPost(agent, trade);
  const { ours, bare } = await empty.use(async (file) => {
    const server = await startTradepostServer(environment, file);
    const api = new ApiClient(server.url, trade, 1);
    const order = () => api.createOrder();
    log('warming up');
    await runOneByOne(receiver, size.warmUp, order);
    await runOneByOne(receiver, size.warmUp, post);
    const rounds = await interleave(
      size.rounds,
      {
        ours: () => runOneByOne(receiver, size.orders, order),
        bare: () => runOneByOne(receiver, size.orders, post),
      },
      (round) => log(`round ${round} of ${size.rounds}`),
    );
    await Promise.all([api.close(), server.stop()]);
    return rounds;
  });
  await Promise.all([agent.destroy(), receiver.stop()]);

  return [
    createFigure({
      bench: 'latency',
      what: "order's request to receipt, p50",
      unit: 'ms',
      ours: medians(ours, 'sinceSent'),
      baseline: { what: 'bare POST to receipt, p50', values: medians(bare, 'sinceSent') },
      goal: { of: 'ours', bound: 'at most', value: 15 },
      notes: ['An upper bound of commit to receipt: the whole API request is in it.'],
    }),
    createFigure({
      bench: 'latency',
      what: "order's response to receipt, p50",
      unit: 'ms',
      ours: medians(ours, 'sinceResponse'),
      notes: ['A lower bound of commit to receipt: the response comes after the commit.'],
    }),
  ];
}
