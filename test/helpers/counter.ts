/** Counts something that happens, and lets others wait for it: what tests have instead of sleeps. */
export class Counter {
  #count = 0;
  #waiting: { at: number; done: () => void }[] = [];

  /** How often it has happened. */
  get count(): number {
    return this.#count;
  }

  /** It happened once more. */
  up(): void {
    this.#count += 1;
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter(({ at }) => at <= this.#count);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#count);
    for (const { done } of due) done();
  }

  /** Fulfils once it has happened `more` times from now. */
  further(more: number): Promise<void> {
    if (more <= 0) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ at: this.#count + more, done }));
  }
}
