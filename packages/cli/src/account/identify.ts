import type { Account, AnyTradepostError, RequestOptions, Tradepost } from '@tradepost/sdk';
import { CliError } from '../cli-error';

/** Whether a service lacks what it was asked for, where that goes beyond the interface. */
export function isLacking({ status }: AnyTradepostError): boolean {
  return status === 404 || status === 405 || status === 501;
}

/**
 * Has the service say whose key it is asked with.
 *
 * @returns null when it does not tell
 * @throws {CliError} `wrong_answer` when what it tells has no id, and a `TradepostError` when the key
 * is refused, and what else a request may end with.
 */
export async function askAccount(
  { account }: Pick<Tradepost, 'account'>,
  options: RequestOptions,
): Promise<Account | null> {
  const told = await account.get(options).safe();
  if (told.ok) return checked(told.data, 'id');
  if (isLacking(told.error)) return null;
  throw told.error;
}

/**
 * Has the service say whose key it is asked with. One that does not tell is asked for an order
 * instead: it answers when it takes the key.
 *
 * @returns null when the key is accepted and the service does not tell whose it is
 * @throws what `askAccount` throws, and the same `wrong_answer` when the account is of no kind.
 */
export async function identify(
  tradepost: Tradepost,
  options: RequestOptions,
): Promise<Account | null> {
  const account = await askAccount(tradepost, options);
  if (account !== null) return checked(account, 'kind');
  await tradepost.orders.list({ limit: 1 }, options);
  return null;
}

/** An answer without such a field is that of another service. */
function checked(account: Account, field: 'id' | 'kind'): Account {
  const value: unknown = account[field];
  if (typeof value === 'string' && value !== '') return account;
  throw new CliError(
    'wrong_answer',
    `the service does not tell the ${field} of the account that it says the key is of`,
    'Check TRADEPOST_BASE_URL or --base-url: it must lead to the service itself.',
  );
}
