import type { Work } from './work';

/** The receiver cannot be judged. The message says why, and what to do. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError' as const;
}

// As they were when the module was loaded: a test may replace timers later.
const { setTimeout: startTimer, setImmediate: startImmediate } = globalThis;
const pass = (milliseconds: number) =>
  new Promise<void>((resolve) => void startTimer(resolve, milliseconds));
/** Waits until all promises that can go on have gone on. */
const passTurn = () =>
  new Promise<void>((resolve) => {
    if (startImmediate) return void startImmediate(resolve);
    const { port1, port2 } = new MessageChannel();
    const receive = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', receive);
    port1.start();
    port2.postMessage(null);
  });

/** After so many turns without a step, others go on, since code may wait for one of them. Those after the first take a millisecond. */
const [quickTurns, graceTurns] = [20, 30];
/** More tasks than this in a minute of the simulation are a loop without end. A worker that polls has fewer. */
const maxTasksPerMinute = 20_000;

/**
 * A clock that jumps to the next task. One task runs at a time, and the code that it wakes runs until it is held again, so the
 * same tasks always happen in the same order.
 */
export class VirtualTime {
  /** The work that runs. */
  current: Work | null = null;
  readonly #tasks: { at: number; work: Work | null; run: () => unknown }[] = [];
  readonly #open = new Set<Work>();
  #failure: { error: unknown } | null = null;
  #steps = 0;
  #calls = 0;

  constructor(
    /** Milliseconds since 1970. */
    public now: number,
    /** How long to wait for what takes real time, in milliseconds. */
    private readonly patienceMs: number,
  ) {}

  /** Runs a task at a time, after those of the same time. With `work`, it goes on with it. */
  schedule(at: number, run: () => unknown, work: Work | null = null): void {
    const index = this.#tasks.findLastIndex((task) => task.at <= at) + 1;
    this.#tasks.splice(index, 0, { at, run, work });
  }

  /** Starts a piece of work, which ends with `run`, and returns when it is held or has ended. Rejects as `run` does. */
  async start(work: Work, run: () => Promise<void>): Promise<void> {
    this.#open.add(work);
    this.current = work;
    void run()
      .catch((error) => this.fail(error))
      .then(() => {
        work.endedAt ??= this.now;
        this.#steps += 1;
      });
    await this.#settle(work);
  }

  /** Ends the run: what waits for it rejects with the error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Holds work for a time. The promise of work that was killed never resolves. */
  hold(milliseconds: number, work: Work): Promise<void> {
    this.#steps += 1;
    work.held += 1;
    this.#open.add(work);
    return new Promise((resolve) => {
      const goOn = () => {
        if (work.held === 0) return;
        work.held -= 1;
        resolve();
      };
      this.schedule(this.now + milliseconds, goOn, work);
    });
  }

  /** Waits for a call that may take real time, such as a query. */
  async call<Value>(run: () => Value): Promise<Awaited<Value>> {
    this.#calls += 1;
    try {
      return await run();
    } finally {
      this.#calls -= 1;
      this.#steps += 1;
    }
  }

  /** Waits for a function of the test that is called when a run is over, and takes no steps. */
  async finish<Value>(name: string, run: () => Value): Promise<Awaited<Value>> {
    let isOver = false;
    const giveUp = async () => {
      // A turn takes a millisecond or more: a machine that stood still is no reason to give up.
      for (let turn = 0; turn < this.patienceMs && !isOver; turn += 1) await pass(1);
      throw new InconclusiveError(
        `${name} did not end in ${this.patienceMs / 1_000} s. The time of the simulation is over then: use the store itself, not what wrap() returned, and no sleep()`,
      );
    };
    try {
      const finished = (async () => await run())();
      return await Promise.race([finished, giveUp()]);
    } finally {
      isOver = true;
    }
  }

  /** Runs tasks until there are none, or `isOver` returns true. */
  async run(isOver: () => boolean): Promise<void> {
    let [count, minute] = [0, 0];
    while (!isOver()) {
      count += 1;
      if (count > maxTasksPerMinute) {
        throw new InconclusiveError(
          `the receiver does not end: it took more than ${maxTasksPerMinute} steps in a minute. Wait with sleep() of the environment between two tries`,
        );
      }
      for (const work of this.#open) {
        if (!(work.endedAt !== null || this.#isAnyHeld())) await this.#settle(work);
        if (work.endedAt !== null && work.held === 0) this.#open.delete(work);
      }
      const task = this.#tasks.shift();
      if (!task) return;
      this.now = Math.max(this.now, task.at);
      const current = Math.floor(this.now / 60_000);
      if (current !== minute) [count, minute] = [0, current];
      if (task.work) this.current = task.work;
      await task.run();
      if (task.work) await this.#settle(task.work);
    }
  }

  #isAnyHeld(): boolean {
    return [...this.#open].some(({ held }) => held > 0);
  }

  /** Waits until work is held or has ended, and whatever it called has returned. */
  async #settle(work: Work): Promise<void> {
    let [seen, idleSince, idleTurns] = [-1, 0, 0];
    let awaitsTimer = work.endedAt === null;
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      if (seen !== this.#steps) {
        [seen, idleSince, idleTurns] = [this.#steps, performance.now(), 0];
        await passTurn();
      } else if (this.#calls === 0 && (work.held > 0 || work.endedAt !== null)) {
        if (!(awaitsTimer && work.endedAt !== null) || work.done) return;
        // Receivers may go on after a response with a timer, which takes a millisecond.
        awaitsTimer = false;
        await pass(0);
      } else {
        idleTurns += 1;
        const isLong = performance.now() - idleSince > this.patienceMs;
        if (this.#calls === 0 && idleTurns > graceTurns && this.#isAnyHeld()) return;
        // Not by the time alone: the machine may have stood still.
        if (isLong && idleTurns > 2 * graceTurns) {
          throw new InconclusiveError(
            `the receiver did nothing for ${this.patienceMs / 1_000} s: it never responds, or waits for something in real time. Use now() and sleep() of the environment, wrap() what stands for a database, and set realTime if it is a real one`,
          );
        }
        await (idleTurns < quickTurns ? passTurn() : pass(1));
      }
    }
  }
}
