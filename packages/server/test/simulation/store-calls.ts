import type { SeededRandom } from './seeded-random';

/** Turns of the event loop in which nothing happens, after which nothing happens any more without I/O or a timer. */
const calmTurns = 4;

/** The workers' calls of the store. Virtual time passes only while none is in flight: their I/O may be real. */
export class StoreCalls {
  readonly #turns: SeededRandom | null;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #noteIdle = () => {};

  /**
   * @param turns Draws which call is next, if they take turns, each with what the invariants read afterwards. Otherwise calls are
   *   in flight together, and end in the order of their commits; with real I/O, that would be another order each time.
   */
  constructor(turns: SeededRandom | null) {
    this.#turns = turns;
  }

  /** Starts a call, when it is its turn. */
  async start(): Promise<void> {
    if (this.#turns === null) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends a call. */
  end(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#noteIdle();
  }

  /** Lets calls run until only timers are left. */
  async settle(): Promise<void> {
    for (let calm = 0; calm < calmTurns; calm += 1) {
      await new Promise((done) => setImmediate(done));
      if (this.#inFlight > 0) {
        await new Promise<void>((resolve) => {
          this.#noteIdle = resolve;
        });
        calm = -1;
      } else if (calm === calmTurns - 1 && this.#startNext()) calm = -1;
    }
  }

  /** Starts a call that waits. Returns whether there is one. */
  #startNext(): boolean {
    const at = this.#waiting.length < 2 ? 0 : this.#turns?.between(0, this.#waiting.length - 1);
    const [next] = this.#waiting.splice(at ?? 0, 1);
    if (next === undefined) return false;
    this.#inFlight += 1;
    next();
    return true;
  }
}
