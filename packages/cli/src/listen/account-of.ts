import { createHash } from 'node:crypto';
import type { Tradepost } from '@tradepost/sdk';
import { askAccount } from '../account/identify';
import type { Terminal } from '../terminal';

/**
 * Whose events a key shows: the account's id. Where the service does not tell it, a mark of the key that
 * does not betray it.
 */
export async function accountOf(
  client: Pick<Tradepost, 'account'>,
  apiKey: string,
  { signal }: Pick<Terminal, 'signal'>,
): Promise<string> {
  const account = await askAccount(client, { signal });
  return account?.id ?? `key ${createHash('sha256').update(apiKey).digest('hex').slice(0, 16)}`;
}
