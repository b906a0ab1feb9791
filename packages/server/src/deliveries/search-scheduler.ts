import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '../domain-error';

/** How many searches each account may have. */
export interface SearchLimits {
  /** How many take turns; the others wait. */
  running: number;
  /** How many may wait; more are rejected. */
  waiting: number;
}

/**
 * A page of a user interface makes a search or two, and a script one after another. Without a limit on those
 * that wait, an account could make its own searches, and the server's connections, wait without end.
 */
const defaultLimits: SearchLimits = { running: 2, waiting: 50 };

interface Search {
  /** Makes one step. Never rejects: what goes wrong is the search's own result. */
  advance(): Promise<void>;
}

/** The searches of one account. */
interface AccountSearches {
  /** In the order of their next turns; never empty. */
  running: Search[];
  /** Oldest first. */
  waiting: Search[];
}

/**
 * Runs searches that take many steps, so that none holds up anything else for longer than one step: it makes
 * one step of one search, and then the event loop gets its turn. Accounts take turns, and of one account only
 * a few searches run. So how long a search takes depends on how many accounts search, not on how much
 * another one searches.
 */
export class SearchScheduler {
  readonly #limits: SearchLimits;
  /** In the order of their next turns. Accounts without a search are not in it. */
  readonly #accounts = new Map<string, AccountSearches>();
  #isDriving = false;

  constructor(limits: SearchLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** How many searches run or wait, of all accounts. */
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
   * @param step Makes the search's next step, as the `next` of an iterator does; its last one returns the result.
   * @param signal Ends the search: none of its steps is made any more, and the promise rejects with the
   *   signal's reason at once.
   * @throws DomainError `rate_limited` when too many searches of the account wait already.
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
      const search: Search = {
        async advance() {
          try {
            const made = await step();
            if (made.done === true) end(() => resolve(made.value));
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

  #add(accountId: string, search: Search): void {
    const own = this.#accounts.get(accountId) ?? { running: [], waiting: [] };
    if (own.running.length < this.#limits.running) own.running.push(search);
    else if (own.waiting.length < this.#limits.waiting) own.waiting.push(search);
    else {
      const inProgress = own.running.length + own.waiting.length;
      throw new DomainError(
        'rate_limited',
        `This account has ${inProgress} searches for deliveries in progress, which is the limit. Wait for their responses, then send the request again.`,
      );
    }
    this.#accounts.set(accountId, own);
  }

  #remove(accountId: string, search: Search): void {
    const own = this.#accounts.get(accountId);
    if (own === undefined) return;
    own.waiting = own.waiting.filter((other) => other !== search);
    own.running = own.running.filter((other) => other !== search);
    const next = own.running.length < this.#limits.running ? own.waiting.shift() : undefined;
    if (next !== undefined) own.running.push(next);
    if (own.running.length === 0) this.#accounts.delete(accountId);
  }

  /** The search whose turn it is. It goes to the end of its account's line, and its account to that of all. */
  #next(): Search | undefined {
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
