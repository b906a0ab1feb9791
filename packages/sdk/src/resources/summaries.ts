import { endpoints, type Summary } from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readItem } from '../http/envelope';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';

/** The state of the account at a glance. An extension. */
export class Summaries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gets how many orders have each status, how many notifications are unread, and how many webhooks are active, paused,
   * disabled or in backoff. Nothing is counted beyond 1,000: then `atLeast` is true. The service may return a summary again for
   * 5 seconds; `asOf` says when it was counted.
   *
   * @example
   * const { orders, unread, webhooks } = await tradepost.summary.get();
   */
  get(options?: RequestOptions): ApiPromise<Summary> {
    return this.#transport.request({
      operation: 'summary.get',
      endpoint: endpoints.summary.get,
      extension: true,
      options,
      read: readItem<Summary>,
    });
  }
}
