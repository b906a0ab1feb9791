/** Clients that do one action after another until they are ended. They can be paused between two actions. */
export class ClientGroup {
  readonly #loops: Promise<void>[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #isEnded = false;
  #setPausing: () => void = () => {};
  #setResumed: () => void = () => {};
  #pausing: Promise<void>;
  #resumed: Promise<void> = Promise.resolve();

  constructor() {
    this.#pausing = this.#nextPause();
  }

  /** Repeats an action. Its argument resolves when it should end soon, because the group is paused or ended. */
  add(act: (pausing: Promise<void>) => Promise<void>): void {
    this.#loops.push(this.#repeat(act));
  }

  /** Does an action once. */
  addOnce(act: () => Promise<void>): void {
    this.#loops.push(this.#track(act()));
  }

  /** Resolves when no action is in flight. None starts before `resume`. */
  async pause(): Promise<void> {
    this.#resumed = new Promise((done) => {
      this.#setResumed = done;
    });
    this.#setPausing();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Ends a pause. */
  resume(): void {
    this.#pausing = this.#nextPause();
    this.#setResumed();
  }

  /** Resolves when all actions in flight have ended, and starts no more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#setPausing();
    this.#setResumed();
    await Promise.all(this.#loops);
  }

  #nextPause(): Promise<void> {
    return new Promise((done) => {
      this.#setPausing = done;
    });
  }

  async #repeat(act: (pausing: Promise<void>) => Promise<void>): Promise<void> {
    for (;;) {
      await this.#resumed;
      if (this.#isEnded) return;
      await this.#track(act(this.#pausing));
    }
  }

  #track(action: Promise<void>): Promise<void> {
    this.#inFlight.add(action);
    return action.finally(() => this.#inFlight.delete(action));
  }
}
