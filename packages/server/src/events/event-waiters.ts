import type { Clock } from '../clock';

/** How many requests of one account may wait at once; more are answered without a wait. */
const waitsPerAccount = 100;

/** Requests that wait until something happens that their account may see. */
export class EventWaiters {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #released = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Fulfils when something was announced to the account, when the time is over, when `over` aborts, or
   * when all are released.
   *
   * @returns Whether one may wait again if there is nothing to see: false when there was no wait, or it is to be the last.
   */
  wait(accountId: string, milliseconds: number, over: AbortSignal): Promise<boolean> {
    const others = this.#waiting.get(accountId) ?? new Set();
    if (this.#released || over.aborted || others.size >= waitsPerAccount) {
      return Promise.resolve(false);
    }
    this.#waiting.set(accountId, others);
    return new Promise((resolve) => {
      const end = () => {
        others.delete(end);
        if (others.size === 0) this.#waiting.delete(accountId);
        callOff();
        over.removeEventListener('abort', end);
        resolve(!(this.#released || over.aborted));
      };
      const callOff = this.#clock.after(milliseconds, end);
      over.addEventListener('abort', end);
      others.add(end);
    });
  }

  /** Tells those who wait for one of these accounts. */
  announce(accountIds: Iterable<string>): void {
    for (const accountId of accountIds) {
      for (const end of this.#waiting.get(accountId) ?? []) end();
    }
  }

  /** Ends all waits, and lets nobody wait any more. */
  release(): void {
    this.#released = true;
    this.announce([...this.#waiting.keys()]);
  }
}
