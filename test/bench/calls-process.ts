import { closedLoop, type LoopSize } from './loops';
import { createOrdersClients, type OrdersClient, type OrdersClients } from './orders-clients';
import { listLength, orderId } from './orders-responses';
import { serveParent } from './serve-parent';

/** What to call repeatedly. */
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

const operations = {
  /** Creates the clients of a service. */
  async connect(url: string): Promise<void> {
    clients = await createOrdersClients(url);
  },

  /** Returns the microseconds of a call, over the calls of all callers. */
  async call({ client, call, size }: CallsWork): Promise<number> {
    const chosen = clients?.[client];
    if (chosen === undefined) throw new Error('There are no clients yet: connect comes first.');
    return 1_000_000 / (await closedLoop(size, () => calls[call](chosen)));
  },
};

/** The operations of this process. */
export type CallsOperations = typeof operations;

serveParent(operations);
