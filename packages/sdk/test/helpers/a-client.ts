import { resolveOptions } from '../../src/http/resolved-options';
import type { Runtime } from '../../src/http/runtime';
import { Transport } from '../../src/http/transport';
import type { TradepostOptions } from '../../src/index';
import { Accounts } from '../../src/resources/accounts';
import { Deliveries } from '../../src/resources/deliveries';
import { Events } from '../../src/resources/events';
import { Orders } from '../../src/resources/orders';
import { Webhooks } from '../../src/resources/webhooks';

/** A client whose waits take no time: they advance its clock instead, and are recorded. */
export interface TestClient {
  orders: Orders;
  webhooks: Webhooks;
  deliveries: Deliveries;
  events: Events;
  account: Accounts;
  /** The waits between attempts so far, in milliseconds. */
  waits: number[];
  /** Advances the client's clock. */
  pass(milliseconds: number): void;
}

/** The default random number of a client: nearly the longest wait. */
const random = 0.999;

/** Creates a client with its own clock. */
export function createTestClient(
  options: Partial<TradepostOptions> & { baseUrl: string },
  runtime: Partial<Runtime> = {},
): TestClient {
  const waits: number[] = [];
  let elapsed = 0;
  const pass = (milliseconds: number) => {
    elapsed += milliseconds;
  };
  const transport = new Transport(resolveOptions({ apiKey: 'tpk_test', ...options }), {
    elapsed: () => elapsed,
    now: () => Date.parse('2026-11-21T09:30:00.000Z') + elapsed,
    random: () => random,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      pass(milliseconds);
    },
    ...runtime,
  });
  return {
    orders: new Orders(transport),
    webhooks: new Webhooks(transport),
    deliveries: new Deliveries(transport),
    events: new Events(transport),
    account: new Accounts(transport),
    waits,
    pass,
  };
}
