import { systemRuntime } from './internal/runtime';
import { readSettings } from './internal/settings';
import { Transport } from './internal/transport';
import { Accounts } from './resources/accounts';
import { Deliveries } from './resources/deliveries';
import { Events } from './resources/events';
import { Notifications } from './resources/notifications';
import { Orders } from './resources/orders';
import { Webhooks } from './resources/webhooks';
import type { TradepostOptions } from './tradepost-options';

/**
 * The client of the service. One serves a whole program: it holds no connection of its own, and
 * calls may run side by side.
 *
 * @example
 * const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
 * const order = await tradepost.orders.get('ord_…');
 */
export class Tradepost {
  /** List, create, get and update orders. */
  readonly orders: Orders;
  /** List notifications and mark them read. */
  readonly notifications: Notifications;
  /** Register webhooks; beyond the interface, look after them. */
  readonly webhooks: Webhooks;
  /** Beyond the interface: see what was sent to webhooks, and send it again. */
  readonly deliveries: Deliveries;
  /** Beyond the interface: list events, and follow them as they happen. */
  readonly events: Events;
  /** Beyond the interface: the account that the API key belongs to. */
  readonly account: Accounts;

  /** @throws {TradepostError} `invalid_configuration` when an option cannot be right. */
  constructor(options: TradepostOptions) {
    const transport = new Transport(readSettings(options), systemRuntime);
    this.orders = new Orders(transport);
    this.notifications = new Notifications(transport);
    this.webhooks = new Webhooks(transport);
    this.deliveries = new Deliveries(transport);
    this.events = new Events(transport);
    this.account = new Accounts(transport);
  }
}
