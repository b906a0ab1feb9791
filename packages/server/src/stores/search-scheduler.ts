import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '@tradepost/domain/kernel/errors';

/** Limits for the searches of one account. */
export interface SearchLimits {
  /** How many run in turns. */
  running: number;
  /** How many may wait; more are rejected. */
  waiting: number;
  /** What they are called in messages, in the plural. */
  name: string;
}

/**
 * A page of a user interface runs one or two searches, and a script one after another. Without a limit on the waiting ones, an
 * account could make its own searches and the server's connections wait indefinitely.
 */
const defaultLimits: SearchLimits = { running: 2, waiting: 50, name: 'searches' };

interface ScheduledSearch {
  /** Runs one step. Never rejects: an error is the search's own result. */
  advance(): Promise<void>;
}

/** The searches of one account. */
interface AccountSearches {
  /** In the order of their next turns; never empty. */
  running: ScheduledSearch[];
  /** Oldest first. */
  waiting: ScheduledSearch[];
}

/**
 * Runs searches of many steps so that other work is never delayed longer than one step: it runs one step of one search, then
 * the event loop gets a turn. Accounts take turns, and only a few searches of each account run. So the duration of a search
 * depends on how many accounts search, not on how much another account searches.
 */
export class SearchScheduler {
  readonly #limits: SearchLimits;
  /** In the order of their next turns. Contains no accounts without searches. */
  readonly #accounts = new Map<string, AccountSearches>();
  #isDriving = false;

  constructor(limits: Partial<SearchLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** The number of running and waiting searches of all accounts. */
  get size(): number {
    let size = 0;
    for (const { running, waiting } of this.#accounts.values()) {
      size += running.length + waiting.length;
    }
    return size;
  }

  /**
   * Runs a search to its end.
   *
   * @param step Runs the search's next step, like the `next` method of an iterator. The last step returns the result.
   * @param signal Cancels the search. No further step runs, and the promise rejects with the signal's reason at once.
   * @throws DomainError `rate_limited` if too many searches of the account are waiting.
   */
  run<Result>(
    accountId: string,
    step: () => Promise<IteratorResult<unknown, Result>>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      signal?.throwIfAborted();
      const end = (settle: () => void) => {
        signal?.removeEventListener('abort', abort);
        this.#remove(accountId, search);
        settle();
      };
      const abort = () => end(() => reject(signal?.reason));
      const search: ScheduledSearch = {
        async advance() {
          try {
            const next = await step();
            if (next.done === true) end(() => resolve(next.value));
          } catch (error) {
            end(() => reject(error));
          }
        },
      };
      this.#add(accountId, search);
      signal?.addEventListener('abort', abort);
      if (!this.#isDriving) void this.#drive();
    });
  }

  #add(accountId: string, search: ScheduledSearch): void {
    const own = this.#accounts.get(accountId) ?? { running: [], waiting: [] };
    if (own.running.length < this.#limits.running) own.running.push(search);
    else if (own.waiting.length < this.#limits.waiting) own.waiting.push(search);
    else {
      const inProgress = own.running.length + own.waiting.length;
      throw new DomainError(
        'rate_limited',
        `This account has ${inProgress} ${this.#limits.name} in flight, which is the limit. Wait for their responses, then send the request again.`,
      );
    }
    this.#accounts.set(accountId, own);
  }

  #remove(accountId: string, search: ScheduledSearch): void {
    const own = this.#accounts.get(accountId);
    if (own === undefined) return;
    own.waiting = own.waiting.filter((other) => other !== search);
    own.running = own.running.filter((other) => other !== search);
    const next = own.running.length < this.#limits.running ? own.waiting.shift() : undefined;
    if (next !== undefined) own.running.push(next);
    if (own.running.length === 0) this.#accounts.delete(accountId);
  }

  /** Returns the search whose turn it is, and moves it and its account to the end of their queues. */
  #next(): ScheduledSearch | undefined {
    for (const [accountId, own] of this.#accounts) {
      this.#accounts.delete(accountId);
      this.#accounts.set(accountId, own);
      const search = own.running.shift();
      if (search !== undefined) own.running.push(search);
      return search;
    }
    return undefined;
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    for (let search = this.#next(); search !== undefined; search = this.#next()) {
      await search.advance();
      await nextTurn();
    }
    this.#isDriving = false;
  }
}
