import type { StatusClass } from '@tradepost/contract';
import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryFilter, LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import type { PageKey } from '@tradepost/domain/kernel/pagination';

/** How many deliveries a step of a search scans: a few milliseconds of work. */
export const stepSize = 5_000;

const states: readonly DeliveryState[] = ['pending', 'delivered', 'failed'];

/** The SQL conditions of status classes. */
export const statusClassConditions: Record<StatusClass, string> = {
  '2xx': 'last_status BETWEEN 200 AND 299',
  '3xx': 'last_status BETWEEN 300 AND 399',
  '4xx': 'last_status BETWEEN 400 AND 499',
  '5xx': 'last_status BETWEEN 500 AND 599',
  none: 'last_status IS NULL AND last_error IS NOT NULL',
};

/** Lists the states that deliveries of a filter can have: a delivered one had a 2xx response. */
export function listStates({ state, statusClass }: DeliveryFilter): DeliveryState[] {
  const rejected = statusClass !== undefined && statusClass !== '2xx';
  return states.filter((one) => (state ?? one) === one && !(rejected && one === 'delivered'));
}

/** What a page has. */
export interface DeliveryPage {
  /** The end of the previous page; null for the first page. */
  after: PageKey | null;
  limit: number;
}

/** A range of one webhook's deliveries in one state, newest first. */
export interface DeliveryRange {
  webhookId: string;
  state: DeliveryState;
  /** Only older deliveries. */
  after: PageKey | null;
  /** The last delivery, inclusive; null for no end. */
  downTo: PageKey | null;
}

/** Reads ranges of deliveries. */
export interface DeliveryReader {
  /** Lists the webhooks of an account that are not deleted: all, or that of the filter. */
  listWebhooks(accountId: string, filter: DeliveryFilter): Promise<string[]>;
  /** Scans one step of a range. Returns what matches, up to `limit`, and where the next step continues; null at the end. */
  scan(
    range: DeliveryRange,
    filter: DeliveryFilter,
    limit: number,
  ): Promise<{ found: LoggedDelivery[]; next: PageKey | null }>;
}

function newestFirst(one: LoggedDelivery, other: LoggedDelivery): number {
  return other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1);
}

/** Merges two results, each delivery once, because one that was found again may have changed its state. */
export function mergeDeliveries(
  found: LoggedDelivery[],
  more: LoggedDelivery[],
  limit: number,
): LoggedDelivery[] {
  const again = new Set(more.map(({ id }) => id));
  const others = found.filter(({ id }) => !again.has(id));
  return [...others, ...more].sort(newestFirst).slice(0, limit);
}

/**
 * Searches for an account's newest deliveries that match a filter, newest first. It yields after each step, so that other work gets
 * a turn during a search for few deliveries among many.
 */
export async function* findDeliveries(
  reader: DeliveryReader,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: DeliveryPage,
): AsyncGenerator<undefined, LoggedDelivery[]> {
  let found: LoggedDelivery[] = [];
  for (const webhookId of await reader.listWebhooks(accountId, filter)) {
    for (const state of listStates(filter)) {
      let from: PageKey | null = after;
      do {
        // Once the page is full, only deliveries newer than its last one can still get on it.
        const range = { webhookId, state, after: from, downTo: found[limit - 1] ?? null };
        const step = await reader.scan(range, filter, limit);
        found = mergeDeliveries(found, step.found, limit);
        from = step.next;
        yield;
      } while (from !== null);
    }
  }
  return found;
}
