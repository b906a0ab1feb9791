import { setTimeout } from 'node:timers/promises';

const wanting = 0;
const ended = 1;
const cellCount = 2;
/** How often somebody who waits looks again though nobody woke him, in milliseconds. */
const lookAgain = 2;
/** How long others may go first in all, in milliseconds: they must slow the thread that yields, and not stop it. */
export const maxYieldMs = 10;

/** What threads of one process that write to one database share, to take turns. */
export interface TurnSettings {
  /** Made by `turnMemory`, the same for all of them. */
  memory: SharedArrayBuffer;
  /** Whether this thread lets the others write first. */
  yields: boolean;
}

/** Memory for threads that take turns. */
export function turnMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cellCount * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Who writes first when two threads want to. SQLite itself knows no order: who comes while another writes has to ask
 * again and again, and a thread that writes all the time would be met writing nearly every time.
 */
export class WriteTurns {
  readonly #cells: Int32Array;
  readonly #yields: boolean;
  #wants = false;

  constructor({ memory, yields }: TurnSettings) {
    this.#cells = new Int32Array(memory);
    this.#yields = yields;
  }

  /** Says whether this thread has something to write. */
  want(wants: boolean): void {
    if (this.#yields || wants === this.#wants) return;
    this.#wants = wants;
    Atomics.add(this.#cells, wanting, wants ? 1 : -1);
    Atomics.notify(this.#cells, wanting);
  }

  /** Says that a transaction of this thread has ended. */
  end(): void {
    Atomics.add(this.#cells, ended, 1);
    Atomics.notify(this.#cells, ended);
  }

  /** Whether another thread is to write before this one. */
  get mustYield(): boolean {
    return this.#yields && Atomics.load(this.#cells, wanting) > 0;
  }

  /**
   * Lets the others write first.
   *
   * @param until For how long at most: a time of `performance.now()`.
   * @returns Whether they have: false when there was no end of them.
   */
  async yield(until: number = performance.now() + maxYieldMs): Promise<boolean> {
    while (this.mustYield) {
      if (performance.now() >= until) return false;
      await this.#changeOf(wanting);
    }
    return true;
  }

  /** Waits until a transaction of another thread has ended, and a few milliseconds at most. */
  otherEnds(): Promise<void> {
    return this.#changeOf(ended);
  }

  async #changeOf(cell: number): Promise<void> {
    const change = Atomics.waitAsync(this.#cells, cell, Atomics.load(this.#cells, cell), lookAgain);
    // Other processes wake nobody; and only a timer keeps a process alive.
    if (change.async) await Promise.race([change.value, setTimeout(lookAgain)]);
  }
}
