import { endpoints, type SignInCode } from '@tradepost/contract/wire';
import { invalidConfiguration } from '../errors';
import type { ApiPromise } from '../http/api-promise';
import { readItem } from '../http/envelope';
import { authorization } from '../http/headers';
import { resolveOptions } from '../http/resolved-options';
import { systemRuntime } from '../http/runtime';
import { Transport } from '../http/transport';
import type { RequestOptions, TradepostOptions } from '../options';
import type { Account } from './accounts';

/** A session: an API key for a few hours, and the account that it belongs to. */
export interface Session {
  /** The API key of the session. */
  key: string;
  /** The account. Its `key` has the ID of the session's key, its rights, and when it expires. */
  account: Account;
}

/** Options of `createSession`: those of a client, without the API key. */
export type SessionOptions = Omit<TradepostOptions, 'apiKey'>;

/**
 * Signing people in: a program with an API key creates a code, and whoever has the code gets a session. An extension: another
 * implementation of the service may not have it, and the error says so.
 */
export class SignIn {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a code that signs a person in, once, within 60 seconds: see `createSession`. A link has it in its fragment, which
   * browsers do not send. With a read-only key it signs in to read only.
   *
   * @throws {PermissionError} `session_not_allowed`: a session creates no codes.
   */
  createCode(options?: RequestOptions): ApiPromise<SignInCode> {
    return this.#transport.request({
      operation: 'signIn.createCode',
      endpoint: endpoints.signInCodes.create,
      extension: true,
      options,
      read: readItem<SignInCode>,
    });
  }
}

/**
 * Exchanges a sign-in code for a session, without an API key. The session ends after 12 hours, or when the key that created the
 * code is revoked or expires. It is retried only if the attempt certainly had no effect, because a code works once.
 *
 * @throws {TradepostError} `invalid_configuration` at once, when an argument is not valid.
 * @throws {AuthenticationError} `invalid_sign_in_code`: it is unknown, used or expired.
 * @throws {RateLimitError} after ten such codes in a minute.
 * @example
 * const { key, account } = await createSession(location.hash.slice(1), { baseUrl });
 * const tradepost = new Tradepost({ baseUrl, apiKey: key });
 */
export function createSession(code: string, options: SessionOptions): ApiPromise<Session> {
  if (typeof code !== 'string' || !/^[\x21-\x7e]+$/.test(code)) {
    throw invalidConfiguration(
      'code must be the sign-in code of the link: what follows its #, without spaces.',
    );
  }
  // As the API key of the options, the code is redacted in errors and logs.
  const resolved = resolveOptions({ ...options, apiKey: code });
  const { [authorization]: credentials = '', ...headers } = resolved.headers;
  if (credentials !== `Bearer ${code}`) Object.assign(headers, { [authorization]: credentials });
  return new Transport({ ...resolved, headers }, systemRuntime).request({
    operation: 'sessions.create',
    endpoint: endpoints.sessions.create,
    extension: true,
    unsafeToRepeat: true,
    body: { code },
    read: readItem<Session>,
  });
}
