import type { Tradepost } from '@tradepost/sdk';
import type { Terminal } from './terminal';

/**
 * Finds the present end of the account's events: what follows it happens from now on. The service's own
 * clock says where to look, since one that goes before it would skip events.
 *
 * @returns what following events begins with
 */
export async function presentEnd(
  { events }: Pick<Tradepost, 'events'>,
  { now, signal }: Pick<Terminal, 'now' | 'signal'>,
): Promise<{ since: string } | { after: string }> {
  const { headers } = await events.list({ limit: 1 }, { signal }).withResponse();
  const date = Date.parse(headers.get('date') ?? '');
  const since = new Date(Number.isNaN(date) ? now() : date).toISOString();
  let end: { since: string } | { after: string } = { since };
  for await (const { nextCursor } of events.list({ since, limit: 100 }, { signal }).pages()) {
    end = { after: nextCursor };
  }
  return end;
}
