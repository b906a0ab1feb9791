import { type AccountKey, type AccountKind, endpoints } from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readItem } from '../http/envelope';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';

/** The account that an API key belongs to. */
export interface Account {
  /** `usr_<id>`. IDs sort by creation time. */
  id: string;
  /** The kind of the account, which limits what it may do. The service may add kinds. */
  kind: AccountKind | Other;
  /** Display name. */
  name: string;
  /** When the account was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The key of this client. The account may have others. */
  key: AccountKey;
}

/**
 * The account that the API key belongs to. An extension: another implementation of the service may not have
 * it, and the error says so.
 */
export class Accounts {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets the account and the non-secret properties of the API key. A read-only key may call it too. */
  get(options?: RequestOptions): ApiPromise<Account> {
    return this.#transport.request({
      operation: 'account.get',
      endpoint: endpoints.account.get,
      extension: true,
      options,
      read: readItem<Account>,
    });
  }
}
