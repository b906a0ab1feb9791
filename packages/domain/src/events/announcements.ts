import type { Clock } from '../kernel/context';
import type { DomainEvent } from './event';

/** Notifies listeners of commits in this process. Other processes have to poll. */
export class Announcements {
  readonly #queueListeners: (() => void)[] = [];
  readonly #eventListeners: ((accountIds: string[]) => void)[] = [];

  /** Runs `listener` after each commit that made deliveries due. */
  onDeliveriesQueued(listener: () => void): void {
    this.#queueListeners.push(listener);
  }

  /** Runs `listener` after each commit that wrote events. */
  onEvents(listener: (accountIds: string[]) => void): void {
    this.#eventListeners.push(listener);
  }

  /** Notifies that deliveries are due. */
  notifyDeliveriesQueued(): void {
    for (const listener of this.#queueListeners) listener();
  }

  /**
   * Notifies of new events.
   *
   * @param queued How many deliveries were queued.
   */
  notifyEvents(events: DomainEvent[], queued: number): void {
    if (queued > 0) this.notifyDeliveriesQueued();
    if (events.length === 0) return;
    const accountIds = [...new Set(events.flatMap(({ recipients }) => recipients))];
    for (const listener of this.#eventListeners) listener(accountIds);
  }
}

/** How many requests of one account may wait at once. Further requests get their response without a wait. */
const maxWaitsPerAccount = 100;

/** The requests that wait for events of their accounts. */
export class LongPollRegistry {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #released = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until the account is notified, the time is over, `done` aborts or all long polls are released.
   *
   * @returns Whether the caller may wait again. False if there was no wait or this was the last one.
   */
  wait(accountId: string, milliseconds: number, done: AbortSignal): Promise<boolean> {
    const others = this.#waiting.get(accountId) ?? new Set();
    if (this.#released || done.aborted || others.size >= maxWaitsPerAccount) {
      return Promise.resolve(false);
    }
    this.#waiting.set(accountId, others);
    return new Promise((resolve) => {
      const end = () => {
        others.delete(end);
        if (others.size === 0) this.#waiting.delete(accountId);
        cancelTimeout();
        done.removeEventListener('abort', end);
        resolve(!(this.#released || done.aborted));
      };
      const cancelTimeout = this.#clock.schedule(milliseconds, end);
      done.addEventListener('abort', end);
      others.add(end);
    });
  }

  /** Ends the waits of these accounts. */
  notify(accountIds: Iterable<string>): void {
    for (const accountId of accountIds) {
      for (const end of this.#waiting.get(accountId) ?? []) end();
    }
  }

  /** Ends all waits and rejects new ones. */
  release(): void {
    this.#released = true;
    this.notify([...this.#waiting.keys()]);
  }
}
