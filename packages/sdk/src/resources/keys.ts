import { type AccountKey, endpoints, type KeyKind } from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readItem, readNothing } from '../http/envelope';
import type { PagePromise } from '../http/pagination';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';

/** One API key of the account; never the key itself. */
export interface ApiKey extends AccountKey {
  /** What people call it. Null when it has no name. */
  name: string | null;
  /** Whether programs use it (`key`), or a person who signed in (`session`). The service may add kinds. */
  kind: KeyKind | Other;
  /** When it was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it was revoked, or the key of a session was: ISO 8601, UTC, with milliseconds. Null when it is not revoked. */
  revokedAt: string | null;
  /** The minute in which it was last used: ISO 8601, UTC, with milliseconds. Null when it was never used. */
  lastUsedAt: string | null;
  /** `key_<id>` of the key that created it. A session ends with it. Null when the operator created it. */
  createdBy: string | null;
  /** Whether it is the key of this client. */
  current: boolean;
}

/** A key in the response to its creation: the only response that contains the key itself. */
export interface CreatedApiKey extends ApiKey {
  /** The API key. Store it in a safe place. */
  key: string;
}

/** The key to create. */
export interface KeyCreateParams {
  /** What people call it: 1 to 100 characters. */
  name?: string | undefined;
  /** Whether it allows read access only. @default false */
  readOnly?: boolean | undefined;
  /** Seconds until it expires: 60 to 315,360,000. @default when the key of this client expires, or never */
  expiresIn?: number | undefined;
}

/** Paging of `keys.list`. */
export interface KeyListParams {
  /** Maximum number of keys per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** The API keys of the account. An extension: another implementation of the service may not have it, and the error says so. */
export class Keys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the account's API keys and sessions, newest first, also those that are revoked or expired. */
  list(params: KeyListParams = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.#transport.list(
      { operation: 'keys.list', endpoint: endpoints.keys.list, extension: true, options },
      params,
    );
  }

  /**
   * Creates an API key with the rights of this client's, or fewer. Only this response contains the key itself.
   *
   * @throws {PermissionError} `read_only_api_key`; `session_not_allowed`: a session creates no keys.
   * @throws {ConflictError} `key_limit_reached`: the account has 100 valid keys.
   * @throws {ValidationError} when it would live longer than this client's.
   */
  create(params: KeyCreateParams = {}, options?: RequestOptions): ApiPromise<CreatedApiKey> {
    return this.#transport.request({
      operation: 'keys.create',
      endpoint: endpoints.keys.create,
      extension: true,
      body: params,
      options,
      read: readItem<CreatedApiKey>,
    });
  }

  /**
   * Revokes an API key and its sessions, immediately and permanently. Revoking it again has no effect. To sign out, revoke the
   * key of the session, `account.key.id`. A read-only key may revoke itself.
   *
   * @throws {NotFoundError} `key_not_found`: the account has no such key.
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.#transport.request<void>({
      operation: 'keys.revoke',
      endpoint: endpoints.keys.revoke,
      extension: true,
      id,
      options,
      read: readNothing,
    });
  }
}
