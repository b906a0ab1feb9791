import type { Account, AnyTradepostError, RequestOptions, Tradepost } from '@tradepost/sdk';
import { baseUrlHint, CliError } from '../errors/cli-error';
import type { View } from '../output/view';
import { getKeyPrefix, type Settings } from './settings';

/**
 * The active service and account, without the key. Fields of the account are null if the service does not
 * report them; `expiresAt` also if the key does not expire.
 */
export type Identity = ReturnType<typeof toIdentity>;

export function toIdentity(
  { profile, baseUrl, baseUrlSource, apiKey, apiKeySource }: Omit<Settings, 'accountId'>,
  account: Account | null,
) {
  // Another service may report the account without its key.
  const key: Partial<Account['key']> | undefined = account?.key;
  return {
    profile,
    baseUrl,
    baseUrlSource,
    apiKeyPrefix: getKeyPrefix(apiKey),
    apiKeySource,
    accountId: account?.id ?? null,
    accountKind: account?.kind ?? null,
    accountName: account?.name ?? null,
    readOnly: key?.readOnly ?? null,
    expiresAt: key?.expiresAt ?? null,
  };
}

export const identityView: View<Identity> = {
  fields: [
    'profile',
    'baseUrl',
    'baseUrlSource',
    'apiKeyPrefix',
    'apiKeySource',
    'accountId',
    'accountKind',
    'accountName',
    'readOnly',
    'expiresAt',
  ],
};

/** Whether an error says that the service lacks an extension. */
export function isUnsupported({ status }: AnyTradepostError): boolean {
  return status === 404 || status === 405 || status === 501;
}

/**
 * Requests the account of the key.
 *
 * @returns null if the service does not report it
 * @throws {CliError} `invalid_response` if the account has no ID
 * @throws {TradepostError} for example if the key is rejected
 */
export async function fetchAccount(
  { account }: Pick<Tradepost, 'account'>,
  options: RequestOptions,
): Promise<Account | null> {
  const result = await account.get(options).safe();
  if (result.ok) return assertAccount(result.data, 'id');
  if (isUnsupported(result.error)) return null;
  throw result.error;
}

/**
 * Requests the account of the key, and its orders where the service does not report accounts: that
 * verifies the key.
 *
 * @returns null if the key is valid and the service does not report its account
 * @throws what `fetchAccount` throws, also if the account has no kind
 */
export async function fetchIdentity(
  tradepost: Tradepost,
  options: RequestOptions,
): Promise<Account | null> {
  const account = await fetchAccount(tradepost, options);
  if (account !== null) return assertAccount(account, 'kind');
  await tradepost.orders.list({}, options);
  return null;
}

/** A response without such a field comes from another service. */
function assertAccount(account: Account, field: 'id' | 'kind'): Account {
  const value: unknown = account[field];
  if (typeof value === 'string' && value !== '') return account;
  throw new CliError(
    'invalid_response',
    `The service sent an account without the field ${field}`,
    baseUrlHint,
  );
}
