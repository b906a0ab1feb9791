import type { Account, AnyTradepostError, RequestOptions, Tradepost } from '@tradepost/sdk';

/** Whether a service lacks what it was asked for, where that goes beyond the interface. */
export function isLacking({ status }: AnyTradepostError): boolean {
  return status === 404 || status === 405 || status === 501;
}

/**
 * Has the service say whose key it is asked with. One that does not tell is asked for an order
 * instead: it answers when it takes the key.
 *
 * @returns null when the key is accepted and the service does not tell whose it is
 * @throws {TradepostError} when the key is refused, and what else a request may end with.
 */
export async function identify(
  { account, orders }: Tradepost,
  options: RequestOptions,
): Promise<Account | null> {
  const told = await account.get(options).safe();
  if (told.ok) return told.data;
  if (!isLacking(told.error)) throw told.error;
  await orders.list({ limit: 1 }, options);
  return null;
}
