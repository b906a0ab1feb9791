import { resolveOptions } from './http/resolved-options';
import { systemRuntime } from './http/retry';
import { Transport } from './http/transport';
import type { TradepostOptions } from './options';
import { Accounts } from './resources/accounts';
import { Deliveries } from './resources/deliveries';
import { Events } from './resources/events';
import { Notifications } from './resources/notifications';
import { Orders } from './resources/orders';
import { Webhooks } from './resources/webhooks';

/**
 * The client of the service. Create one client per program: it keeps no connections, and concurrent calls are
 * safe.
 *
 * @example
 * const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
 * const order = await tradepost.orders.get('ord_…');
 */
export class Tradepost {
  /** Lists, creates, gets and updates orders. */
  readonly orders: Orders;
  /** Lists notifications and marks them read. */
  readonly notifications: Notifications;
  /** Registers webhooks. Extension: manages them. */
  readonly webhooks: Webhooks;
  /** Extension: lists the deliveries to webhooks, and replays them. */
  readonly deliveries: Deliveries;
  /** Extension: lists events, and follows them as they happen. */
  readonly events: Events;
  /** Extension: gets the account that the API key belongs to. */
  readonly account: Accounts;

  /** @throws {TradepostError} `invalid_configuration` when an option is not valid. */
  constructor(options: TradepostOptions) {
    const transport = new Transport(resolveOptions(options), systemRuntime);
    this.orders = new Orders(transport);
    this.notifications = new Notifications(transport);
    this.webhooks = new Webhooks(transport);
    this.deliveries = new Deliveries(transport);
    this.events = new Events(transport);
    this.account = new Accounts(transport);
  }
}
