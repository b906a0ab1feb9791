import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import { ApiClient } from './api-client';
import { makeDatabases } from './database';
import { type Figure, figureOf } from './figure';
import { machineTime } from './machine-time';
import { quantile } from './quantiles';
import { collectReceipts, type OrderTimes, type Receipt } from './receipts';
import { type Receiver, startReceiver } from './receiver';
import { interleave } from './rounds';
import { signedPost, targetOf } from './signed-post';
import type { Stage } from './stage';
import { orderCreatedBody, type Trade } from './trade';
import { startTradepostServer } from './tradepost-server';
import { within } from './within';

const sizes = {
  usual: { rounds: 5, orders: 150, warmUp: 300 },
  quick: { rounds: 1, orders: 20, warmUp: 5 },
};
/** Milliseconds for the engine to become idle again, between two orders. */
const rest = 10;
/** Seconds that one delivery may take. */
const patience = 10;

/** Does something that one delivery follows from, again and again, each time after the last has arrived. */
async function oneByOne(
  receiver: Receiver,
  count: number,
  ask: (number: number) => Promise<string>,
): Promise<Receipt[]> {
  await receiver.ask('countAnew', 0);
  const asked = new Map<string, OrderTimes>();
  for (let number = 1; number <= count; number += 1) {
    const sent = machineTime();
    const id = await ask(number);
    asked.set(id, { sent, answered: machineTime() });
    const arrival = receiver.ask('until', number);
    await within(patience, arrival, () => `No delivery of ${id} arrived in ${patience} s.`);
    await setTimeout(rest);
  }
  return (await collectReceipts(receiver, asked, 1, 0)).receipts;
}

function postsTo(agent: Agent, trade: Trade): (number: number) => Promise<string> {
  const [webhook] = trade.webhooks;
  if (webhook === undefined) throw new Error('There is no webhook to post to.');
  const target = targetOf(webhook);
  return async (number) => {
    const idEnd = `01KAJ8Q0V7T3M5X9R2C4${String(number).padStart(6, '0')}`;
    const id = `ord_${idEnd}`;
    await signedPost(agent, target, `evt_${idEnd}`, orderCreatedBody(trade, id, Date.now()));
    return id;
  };
}

const middle = (rounds: Receipt[][], part: keyof Receipt) =>
  rounds.map((receipts) =>
    quantile(
      receipts.map((receipt) => receipt[part]),
      0.5,
    ),
  );

/**
 * How long it takes from an order to the receipt of its event, while nothing else is going on, against a
 * bare POST to the same receiver. The commit lies between the request and its answer, so what is counted
 * from the request is an upper bound, and what is counted from the answer a lower one.
 */
export async function latency(stage: Stage): Promise<Figure[]> {
  const { place, say } = stage;
  const size = stage.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(place, 1);
  await receiver.ask('behave', { answers: true, keeps: true });
  const wanted = { urls: receiver.urls, backlog: 0, orders: 0 };
  const { empty } = await makeDatabases(place, { empty: [wanted] });
  const [trade] = empty.trades;
  const agent = new Agent();
  const post = postsTo(agent, trade);
  const { ours, bare } = await empty.use(async (file) => {
    const server = await startTradepostServer(place, file);
    const api = new ApiClient(server.url, trade, 1);
    const order = () => api.createOrder();
    say('warming up');
    await oneByOne(receiver, size.warmUp, order);
    await oneByOne(receiver, size.warmUp, post);
    const rounds = await interleave(
      size.rounds,
      {
        ours: () => oneByOne(receiver, size.orders, order),
        bare: () => oneByOne(receiver, size.orders, post),
      },
      (round) => say(`round ${round} of ${size.rounds}`),
    );
    await Promise.all([api.close(), server.stop()]);
    return rounds;
  });
  await Promise.all([agent.destroy(), receiver.stop()]);

  return [
    figureOf({
      bench: 'latency',
      what: "order's request to receipt, p50",
      unit: 'ms',
      ours: middle(ours, 'fromSent'),
      baseline: { what: 'bare POST to receipt, p50', values: middle(bare, 'fromSent') },
      goal: { of: 'ours', bound: 'at most', value: 15 },
      notes: ['An upper bound of commit to receipt: the whole API request is in it.'],
    }),
    figureOf({
      bench: 'latency',
      what: "order's answer to receipt, p50",
      unit: 'ms',
      ours: middle(ours, 'fromAnswered'),
      notes: ['A lower bound of commit to receipt: the answer comes after the commit.'],
    }),
  ];
}
