import type { QueryClient } from '@tanstack/react-query';
import type { Entry } from './entries';

/** A row, of which nothing is certain: it is whatever the service sent. */
type Row = Partial<Record<string, unknown>>;

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}

/** Returns the rows of what a query returned: a page, some pages, rows, or one thing. */
function listRows(data: unknown): Row[] {
  if (Array.isArray(data)) return data.flatMap(listRows);
  if (!isRow(data)) return [];
  if (Array.isArray(data.pages)) return listRows(data.pages);
  return Array.isArray(data.data) ? listRows(data.data) : [data];
}

function readName(party: unknown): string {
  return isRow(party) && typeof party.name === 'string' ? party.name : '';
}

/** Returns what leads to a row: nothing if it has no text to find it by. */
function toEntry(kind: 'orders' | 'webhooks', row: Row): Entry | null {
  const { id, url } = row;
  if (typeof id !== 'string') return null;
  if (kind === 'webhooks') {
    return typeof url === 'string'
      ? { text: `Webhook ${url}`, href: `/webhooks/${id}/health` }
      : null;
  }
  const names = [readName(row.buyer), readName(row.seller)].filter((name) => name !== '');
  if (names.length === 0) return null;
  return { text: `Order ${id}: ${names.join(', ')}`, href: `/orders/${id}` };
}

/** Lists the webhooks and orders that pages have shown, without a request: what is remembered of the service is enough. */
export function listKnown(queries: QueryClient): Entry[] {
  const found = new Map<string, Entry>();
  for (const kind of ['webhooks', 'orders'] as const) {
    for (const [, data] of queries.getQueriesData({ queryKey: [kind] })) {
      for (const row of listRows(data)) {
        const entry = toEntry(kind, row);
        if (entry !== null) found.set(entry.href, entry);
      }
    }
  }
  return [...found.values()];
}
