import { systemRuntime } from './internal/runtime';
import { readSettings } from './internal/settings';
import { Transport } from './internal/transport';
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
  /** Register webhooks. */
  readonly webhooks: Webhooks;

  /** @throws {TradepostError} `invalid_configuration` when an option cannot be right. */
  constructor(options: TradepostOptions) {
    const transport = new Transport(readSettings(options), systemRuntime);
    this.orders = new Orders(transport);
    this.notifications = new Notifications(transport);
    this.webhooks = new Webhooks(transport);
  }
}
