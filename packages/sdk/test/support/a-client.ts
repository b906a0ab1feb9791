import type { TradepostOptions } from '../../src/index';
import type { Runtime } from '../../src/internal/runtime';
import { readSettings } from '../../src/internal/settings';
import { Transport } from '../../src/internal/transport';
import { Accounts } from '../../src/resources/accounts';
import { Deliveries } from '../../src/resources/deliveries';
import { Events } from '../../src/resources/events';
import { Orders } from '../../src/resources/orders';
import { Webhooks } from '../../src/resources/webhooks';

/** A client whose waits take no time: they move its clock instead, and are written down. */
export interface PatientClient {
  orders: Orders;
  webhooks: Webhooks;
  deliveries: Deliveries;
  events: Events;
  account: Accounts;
  /** The waits between attempts so far, in milliseconds. */
  waits: number[];
  /** Moves the client's clock. */
  pass(milliseconds: number): void;
}

/** The dice of a client show this unless told: the longest wait, nearly. */
const random = 0.999;

/** Makes a client that lives on a clock of its own. */
export function aPatientClient(
  options: Partial<TradepostOptions> & { baseUrl: string },
  runtime: Partial<Runtime> = {},
): PatientClient {
  const waits: number[] = [];
  let elapsed = 0;
  const pass = (milliseconds: number) => {
    elapsed += milliseconds;
  };
  const transport = new Transport(readSettings({ apiKey: 'tpk_test', ...options }), {
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
