import type { DomainEvent } from '../events/domain-event';

/** Tells this process what was committed in it. Other processes have to look for themselves. */
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

  /** Says that deliveries are due. */
  deliveriesQueued(): void {
    for (const listener of this.#queueListeners) listener();
  }

  /**
   * Says what an order set off.
   *
   * @param queued How many deliveries.
   */
  happened(events: DomainEvent[], queued: number): void {
    if (queued > 0) this.deliveriesQueued();
    if (events.length === 0) return;
    const accountIds = [...new Set(events.flatMap(({ recipients }) => recipients))];
    for (const listener of this.#eventListeners) listener(accountIds);
  }
}
