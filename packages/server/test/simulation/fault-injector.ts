import type { PlannedCrash, PlannedFault } from './plan';
import type { SeededRandom } from './seeded-random';
import type { VirtualTime } from './virtual-time';

/** A verb of the store that a worker uses. */
export type Verb = 'beginAnew' | 'adjustToClock' | 'claimDue' | 'recordAttempts' | 'nextDueAt';

/** What becomes of one call of the store. */
export type Fault = 'done' | 'refused' | 'answer lost' | 'crash before' | 'crash after';

/** Decides what becomes of each call of the store. */
export class FaultInjector {
  readonly #faults: PlannedFault[];
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  /** Crashes whose time has come, and that wait for their call. */
  readonly #loaded: PlannedCrash[] = [];

  constructor(faults: PlannedFault[], random: SeededRandom, time: VirtualTime) {
    this.#faults = faults;
    this.#random = random;
    this.#time = time;
  }

  /** Has the next call that it names be a worker's last. */
  load(crash: PlannedCrash): void {
    this.#loaded.push(crash);
  }

  /** The part of the calls that fail now, if some do. */
  get fault(): PlannedFault | undefined {
    const { elapsed } = this.#time;
    return this.#faults.find(({ from, to }) => from <= elapsed && elapsed < to);
  }

  /** What becomes of a call, and how long its worker is then gone. */
  of(verb: Verb): { fate: Fault; downFor: number } {
    const index = this.#loaded.findIndex(({ upon }) => upon === verb);
    const [crash] = index < 0 ? [] : this.#loaded.splice(index, 1);
    if (crash !== undefined) return { fate: `crash ${crash.when}`, downFor: crash.downFor };
    const { fault } = this;
    const spared = fault === undefined || (fault.only !== null && fault.only !== verb);
    if (spared || !this.#random.chance(fault.share)) return { fate: 'done', downFor: 0 };
    return { fate: this.#random.chance(fault.lost) ? 'answer lost' : 'refused', downFor: 0 };
  }
}
