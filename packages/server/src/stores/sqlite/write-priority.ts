import { setTimeout } from 'node:timers/promises';

const pendingCell = 0;
const endedCell = 1;
const cellCount = 2;
/** How often a waiting thread polls if it is not woken, in milliseconds. */
const pollMs = 2;
/** The total time for which a thread yields, in milliseconds: the other threads may slow it down, but not stop it. */
export const maxYieldMs = 10;

/** What the threads of one process that write to one database share. */
export interface WritePrioritySettings {
  /** Created by `createPriorityMemory`, the same for all threads. */
  memory: SharedArrayBuffer;
  /** Whether this thread lets the other threads write first. */
  yields: boolean;
}

/** Creates the shared memory of the threads. */
export function createPriorityMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cellCount * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Decides which of two threads writes first. SQLite has no queue: a thread that finds the lock taken has to retry, and nearly
 * always finds a thread that writes continuously holding it.
 */
export class WritePriority {
  readonly #cells: Int32Array;
  readonly #yields: boolean;
  #isPending = false;

  constructor({ memory, yields }: WritePrioritySettings) {
    this.#cells = new Int32Array(memory);
    this.#yields = yields;
  }

  /** Sets whether this thread has changes to write. */
  setPending(isPending: boolean): void {
    if (this.#yields || isPending === this.#isPending) return;
    this.#isPending = isPending;
    Atomics.add(this.#cells, pendingCell, isPending ? 1 : -1);
    Atomics.notify(this.#cells, pendingCell);
  }

  /** Signals that a transaction of this thread has ended. */
  end(): void {
    Atomics.add(this.#cells, endedCell, 1);
    Atomics.notify(this.#cells, endedCell);
  }

  /** Whether another thread should write before this one. */
  get shouldYield(): boolean {
    return this.#yields && Atomics.load(this.#cells, pendingCell) > 0;
  }

  /**
   * Lets the other threads write first.
   *
   * @param until The latest end of the wait: a time of `performance.now()`.
   * @returns False if the other threads were not done by then.
   */
  async yield(until: number = performance.now() + maxYieldMs): Promise<boolean> {
    while (this.shouldYield) {
      if (performance.now() >= until) return false;
      await this.#waitForChange(pendingCell);
    }
    return true;
  }

  /** Waits until a transaction of another thread has ended, at most a few milliseconds. */
  waitForOtherWrite(): Promise<void> {
    return this.#waitForChange(endedCell);
  }

  async #waitForChange(cell: number): Promise<void> {
    const change = Atomics.waitAsync(this.#cells, cell, Atomics.load(this.#cells, cell), pollMs);
    // Other processes do not wake this one, and only a timer keeps a process alive.
    if (change.async) await Promise.race([change.value, setTimeout(pollMs)]);
  }
}
