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
