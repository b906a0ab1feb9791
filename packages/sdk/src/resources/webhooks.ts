import { type CreatedWebhook, type CreateWebhook, endpoints } from '@tradepost/contract/wire';
import { readItem } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';

/** The webhooks of the account that the API key belongs to. */
export class Webhooks {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Registers an HTTPS endpoint for signed deliveries. The answer is the only one that tells the
   * endpoint secret: keep it for `verifyWebhook`.
   */
  async create(body: CreateWebhook, options?: RequestOptions): Promise<CreatedWebhook> {
    return this.#transport.request({
      ...endpoints.webhooks.create,
      body,
      options,
      read: readItem<CreatedWebhook>,
    });
  }
}
