import { createHash } from 'node:crypto';
import type { Tradepost } from '@tradepost/sdk';
import { askAccount } from '../account/identify';
import type { Terminal } from '../terminal';
import type { Place } from './place';

/** What is needed to ask. */
type Asking = Pick<Terminal, 'now' | 'signal'>;

/**
 * Whose events a key shows: the account's id. Where the service does not tell it, a mark of the key that
 * does not betray it.
 */
export async function accountOf(
  client: Pick<Tradepost, 'account'>,
  apiKey: string,
  { signal }: Asking,
): Promise<string> {
  const account = await askAccount(client, { signal });
  return account?.id ?? `key ${createHash('sha256').update(apiKey).digest('hex').slice(0, 16)}`;
}

/**
 * Finds the present end of the events: what follows it happens from now on. The service's own clock
 * says where to look, since one that goes before it would skip events.
 */
export async function presentEnd(
  { events }: Pick<Tradepost, 'events'>,
  { now, signal }: Asking,
): Promise<Place> {
  const { headers } = await events.list({ limit: 1 }, { signal }).withResponse();
  const date = Date.parse(headers.get('date') ?? '');
  const since = new Date(Number.isNaN(date) ? now() : date).toISOString();
  let place: Place = { from: { since }, done: null };
  for await (const { nextCursor } of events.list({ since, limit: 100 }, { signal }).pages()) {
    place = { from: { after: nextCursor }, done: null };
  }
  return place;
}
