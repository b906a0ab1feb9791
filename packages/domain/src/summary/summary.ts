import {
  type OrderStatus,
  type Summary,
  type SummaryCount,
  summaryLimits,
} from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import { type Clock, formatTimestamp } from '../kernel/context';

/** How much of each kind an account has, counted up to a limit. */
export interface CountedAccount {
  orders: Record<OrderStatus, number>;
  unread: number;
  webhooks: Summary['webhooks'];
}

/** Counts what accounts have. */
export interface SummaryStore {
  /**
   * Counts what an account has, in one transaction that sees one state. Each count reads one range of an index.
   *
   * @param limit Up to how many orders of each status and unread notifications are counted.
   * @param now Milliseconds since 1970.
   */
  countAccount(caller: Caller, limit: number, now: number): Promise<CountedAccount>;
}

function toCount(found: number): SummaryCount {
  return { count: Math.min(found, summaryLimits.count), atLeast: found > summaryLimits.count };
}

/** Converts what an account has to the contract's summary. It was counted up to one more than the limit. */
function toSummaryResponse({ orders, unread, webhooks }: CountedAccount, now: number): Summary {
  return {
    asOf: formatTimestamp(now),
    orders: {
      pending: toCount(orders.pending),
      confirmed: toCount(orders.confirmed),
      fulfilling: toCount(orders.fulfilling),
      completed: toCount(orders.completed),
      cancelled: toCount(orders.cancelled),
    },
    unread: toCount(unread),
    webhooks,
  };
}

/** How many summaries a process remembers. */
const maxRemembered = 10_000;

/**
 * The summaries of accounts. Each is counted once and then returned for some seconds, however many requests there are: pages and
 * terminals of an account show it again and again.
 */
export class Summaries {
  readonly #store: SummaryStore;
  readonly #clock: Clock;
  /** By account, the one that was counted first at the start. */
  readonly #remembered = new Map<string, { until: number; summary: Promise<Summary> }>();

  constructor(store: SummaryStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the summary of an account. */
  get(caller: Caller): Promise<Summary> {
    const { accountId } = caller;
    // Not by the time, which may be set back.
    const elapsed = this.#clock.elapsed();
    const known = this.#remembered.get(accountId);
    if (known !== undefined && elapsed < known.until) return known.summary;
    const summary = this.#count(caller);
    this.#remembered.delete(accountId);
    const until = elapsed + summaryLimits.maxAgeSeconds * 1_000;
    this.#remembered.set(accountId, { until, summary });
    summary.catch(() => {
      if (this.#remembered.get(accountId)?.summary === summary) this.#remembered.delete(accountId);
    });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
    return summary;
  }

  async #count(caller: Caller): Promise<Summary> {
    const now = this.#clock.now();
    const counted = await this.#store.countAccount(caller, summaryLimits.count + 1, now);
    return toSummaryResponse(counted, now);
  }
}
