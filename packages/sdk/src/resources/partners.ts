import { type AccountKind, endpoints } from '@tradepost/contract/wire';
import type { PagePromise } from '../http/pagination';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';

/** An account with which the account has traded: another party of one of its orders. */
export interface Partner {
  /** `usr_<id>`. IDs sort by creation time. */
  id: string;
  /** The kind of the account. The service may add kinds. */
  kind: AccountKind | Other;
  /** Display name. */
  name: string;
}

/** Filter and paging of `partners.list`. */
export interface PartnerListParams {
  /** Only partners whose name contains this text, whatever the case and the accents of its letters. */
  name?: string | undefined;
  /** Maximum number of partners per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/**
 * The accounts with which the account has traded. An extension: another implementation of the service may not have it, and the
 * error says so.
 */
export class Partners {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the buyers, sellers and agents of the account's orders, newest account first. */
  list(params: PartnerListParams = {}, options?: RequestOptions): PagePromise<Partner> {
    return this.#transport.list(
      {
        operation: 'partners.list',
        endpoint: endpoints.partners.list,
        extension: true,
        options,
      },
      params,
    );
  }
}
