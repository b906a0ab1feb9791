import type { Logger } from 'pino';
import { type Chore, type ChoreParts, overdueChore, pruningChores } from './chore';

const betweenRounds = 60_000;
/** For how long one round prunes one kind of thing. */
const longestPruning = 5_000;
/** Leaves most of the store's time to requests and deliveries. */
const betweenSteps = 10;

/** What a housekeeper works with. */
export interface HousekeeperParts extends ChoreParts {
  log: Logger;
  /** Is told how many deliveries failed because their deadline passed while they waited. */
  onFailed?: (count: number) => void;
}

/**
 * Fails deliveries whose time is over and removes what was kept for long enough, in a round each minute.
 * It works in small steps and pauses between them, so that neither requests nor deliveries wait for it.
 */
export class Housekeeper {
  readonly #parts: HousekeeperParts;
  readonly #overdue: Chore;
  readonly #pruning: Chore[];
  /** How many rounds a chore still sits out. */
  readonly #resting = new Map<Chore, number>();
  #stopped = false;
  #round: Promise<void> | null = null;
  #callOffRound: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(parts: HousekeeperParts) {
    this.#parts = parts;
    this.#overdue = overdueChore(parts);
    this.#pruning = pruningChores(parts);
  }

  /** Begins with a round in a minute. */
  start(): void {
    this.#callOffRound = this.#parts.clock.after(betweenRounds, () => {
      this.#round = this.#tidy().then(() => {
        if (!this.#stopped) this.start();
      });
    });
  }

  /** Begins nothing more, and waits for the step that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOffRound();
    this.#endPause();
    await this.#round;
  }

  async #tidy(): Promise<void> {
    const { clock, log, onFailed } = this.#parts;
    const counts: Record<string, number> = {};
    const failed = await this.#see(this.#overdue, () => false);
    if (failed > 0) {
      counts[this.#overdue.what] = failed;
      onFailed?.(failed);
    }
    for (const chore of this.#pruning) {
      let over = false;
      const callOff = clock.after(longestPruning, () => {
        over = true;
      });
      const count = await this.#see(chore, () => over);
      callOff();
      if (count > 0) counts[chore.what] = count;
    }
    if (Object.keys(counts).length > 0) log.info(counts, 'tidied up');
  }

  /** Does a chore until nothing is left to do or it is over, unless it rests. */
  async #see(chore: Chore, isOver: () => boolean): Promise<number> {
    const resting = this.#resting.get(chore) ?? 0;
    if (resting > 0) {
      this.#resting.set(chore, resting - 1);
      return 0;
    }
    let total = 0;
    try {
      while (!(this.#stopped || isOver())) {
        const { count, done } = await chore.step();
        total += count;
        if (done) {
          this.#resting.set(chore, chore.rest);
          break;
        }
        if (!this.#stopped) await this.#pause();
      }
    } catch (error) {
      const about = { err: error, chore: chore.what };
      this.#parts.log.error(about, 'could not tidy up; trying again in a minute');
    }
    return total;
  }

  #pause(): Promise<void> {
    return new Promise((goOn) => {
      const callOff = this.#parts.clock.after(betweenSteps, goOn);
      this.#endPause = () => {
        callOff();
        goOn();
      };
    });
  }
}
