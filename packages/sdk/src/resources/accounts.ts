import {
  type AccountKind,
  endpoints,
  type Account as ServiceAccount,
} from '@tradepost/contract/wire';
import type { ApiCall } from '../internal/api-call';
import { readItem } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';
import type { Unrecognized } from '../unrecognized';

/** The account that an API key belongs to. */
export interface Account extends Omit<ServiceAccount, 'kind'> {
  /** What it may do. The service may add kinds. */
  kind: AccountKind | Unrecognized;
}

/**
 * The account that the API key belongs to. It goes beyond the interface: a service may not tell it,
 * and the error says so then.
 */
export class Accounts {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets the account, with what may be told of the key that asks. */
  get(options?: RequestOptions): ApiCall<Account> {
    return this.#transport.request({
      endpoint: endpoints.account.get,
      extension: true,
      options,
      read: readItem<Account>,
    });
  }
}
