/** Counts occurrences and lets tests wait for them, so that they need not sleep. */
export class Counter {
  #count = 0;
  #waiting: { at: number; done: () => void }[] = [];

  /** The number of occurrences. */
  get count(): number {
    return this.#count;
  }

  /** Counts one more occurrence. */
  increment(): void {
    this.#count += 1;
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter(({ at }) => at <= this.#count);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#count);
    for (const { done } of due) done();
  }

  /** Resolves after `more` further occurrences. */
  waitForMore(more: number): Promise<void> {
    if (more <= 0) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ at: this.#count + more, done }));
  }
}
