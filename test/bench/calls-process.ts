import { answerParent } from './answer-parent';
import { closedLoop, type LoopSize } from './closed-loop';
import { type OrdersClient, type OrdersClients, ordersClients } from './orders-clients';
import { listLength, orderId } from './orders-responses';

/** What is to be called over and over. */
export interface CallsWork {
  client: keyof OrdersClients;
  call: keyof OrdersClient;
  size: LoopSize;
}

let clients: OrdersClients | undefined;

async function get(client: OrdersClient): Promise<void> {
  const order = (await client.get()) as { id?: string } | null;
  if (order?.id !== orderId) throw new Error(`The order is ${JSON.stringify(order)}.`);
}

async function list(client: OrdersClient): Promise<void> {
  const { length } = await client.list();
  if (length !== listLength) throw new Error(`The list has ${length} orders.`);
}

const calls = { get, list };

const verbs = {
  /** Makes the clients of a service. */
  async connect(url: string): Promise<void> {
    clients = await ordersClients(url);
  },

  /** Returns the microseconds that a call took, all callers' calls counted. */
  async call({ client, call, size }: CallsWork): Promise<number> {
    const chosen = clients?.[client];
    if (chosen === undefined) throw new Error('There are no clients yet: connect comes first.');
    return 1_000_000 / (await closedLoop(size, () => calls[call](chosen)));
  },
};

/** What can be asked of it. */
export type CallsVerbs = typeof verbs;

answerParent(verbs);
