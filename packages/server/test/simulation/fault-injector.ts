import type { PlannedCrash, PlannedFault } from './plan';
import type { SeededRandom } from './seeded-random';
import type { VirtualTime } from './virtual-time';

/** A method of the store that a worker calls. */
export type Verb =
  | 'registerWorker'
  | 'releaseDeadLeases'
  | 'endWorker'
  | 'resetStaleLeases'
  | 'adjustToClock'
  | 'leaseDue'
  | 'recordAttempts'
  | 'nextDueAt';

/** The result of one call of the store. */
export type Fault = 'done' | 'rejected' | 'response lost' | 'crash before' | 'crash after';

/** Decides the result of each call of the store. */
export class FaultInjector {
  readonly #faults: PlannedFault[];
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  /** Crashes that are due, and wait for their call. */
  readonly #armed: PlannedCrash[] = [];

  constructor(faults: PlannedFault[], random: SeededRandom, time: VirtualTime) {
    this.#faults = faults;
    this.#random = random;
    this.#time = time;
  }

  /** Makes a worker crash in the next call that the plan names. */
  arm(crash: PlannedCrash): void {
    this.#armed.push(crash);
  }

  /** The current fault, if there is one. */
  get fault(): PlannedFault | undefined {
    const { elapsed } = this.#time;
    return this.#faults.find(({ from, to }) => from <= elapsed && elapsed < to);
  }

  /** Returns the result of a call, and how long no worker runs after a crash. */
  decide(verb: Verb): { fault: Fault; downFor: number } {
    const index = this.#armed.findIndex(({ upon }) => upon === verb);
    const [crash] = index < 0 ? [] : this.#armed.splice(index, 1);
    if (crash !== undefined) return { fault: `crash ${crash.when}`, downFor: crash.downFor };
    const { fault } = this;
    const spared = fault === undefined || (fault.only !== null && fault.only !== verb);
    if (spared || !this.#random.chance(fault.share)) return { fault: 'done', downFor: 0 };
    return { fault: this.#random.chance(fault.lost) ? 'response lost' : 'rejected', downFor: 0 };
  }
}
