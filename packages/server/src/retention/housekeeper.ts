import type { Logger } from 'pino';
import { type Chore, type ChoreParts, type ChoreStep, overdueChore, pruningChores } from './chore';
import { TidyingReport } from './tidying-report';

/** Soon after the start, but not before what an earlier run left in the queues is being delivered. */
const beforeFirstRound = 5_000;
const betweenRounds = 60_000;
/** For how long one round prunes one kind of thing; what is left is continued in the next, which follows at once. */
const longestPruning = 2_000;
/**
 * How long to pause after a step, as a multiple of the step's own work. It leaves most of the store's time, and of the
 * thread's, to requests and deliveries, whatever the machine is like.
 */
const pausePerWork = 2;
/** No pause is longer, in milliseconds. */
const longestPause = 100;
/** Nor any after a step that waited for as long as this: beside others that write all the time it gets few turns. */
const contendedPause = 12;
/** The pause after a step whose work was not measured. */
const usualPause = 10;

/** What a housekeeper works with. */
export interface HousekeeperParts extends ChoreParts {
  log: Logger;
  /** Is told how many deliveries failed because their deadline passed while they waited. */
  onFailed?: (count: number) => void;
}

/**
 * Fails deliveries whose time is over and removes what was kept for long enough, in a round each minute, or in one after
 * the other as long as there is more. It works in small steps and pauses between them, so that neither requests nor
 * deliveries wait for it.
 */
export class Housekeeper {
  readonly #parts: HousekeeperParts;
  readonly #overdue: Chore;
  readonly #pruning: Chore[];
  readonly #report: TidyingReport;
  /** When chores failed that have not been tried again since. */
  readonly #failedAt = new Map<Chore, number>();
  #stopped = false;
  #round: Promise<void> | null = null;
  #callOffRound: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(parts: HousekeeperParts) {
    this.#parts = parts;
    this.#overdue = overdueChore(parts);
    this.#pruning = pruningChores(parts);
    this.#report = new TidyingReport(parts.clock, parts.log);
  }

  /** Begins with a round in a few seconds. */
  start(): void {
    this.#schedule(beforeFirstRound);
  }

  /** Begins nothing more, and waits for the step that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOffRound();
    this.#endPause();
    await this.#round;
    this.#report.flush();
  }

  #schedule(delay: number): void {
    this.#callOffRound = this.#parts.clock.after(delay, () => {
      this.#round = this.#tidyUp().then(() => {
        if (!this.#stopped) this.#schedule(betweenRounds);
      });
    });
  }

  /** Does rounds until nothing is left to do. */
  async #tidyUp(): Promise<void> {
    while (await this.#doRound()) this.#report.flushIfDue();
    this.#report.flush();
  }

  /** @returns Whether more is left to do at once. */
  async #doRound(): Promise<boolean> {
    const { clock, onFailed } = this.#parts;
    const { count: failed } = await this.#see(this.#overdue, () => false);
    if (failed > 0) this.#notify(() => onFailed?.(failed));
    let hasMore = false;
    for (const chore of this.#pruning) {
      if (chore.isLast && hasMore) continue;
      let over = false;
      const callOff = clock.after(longestPruning, () => {
        over = true;
      });
      const { done } = await this.#see(chore, () => over);
      callOff();
      hasMore ||= !done;
    }
    return hasMore && !this.#stopped;
  }

  /** What listens must not end the rounds. */
  #notify(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'could not count deliveries that failed');
    }
  }

  /** Does a chore until nothing is left to do or its time is over, unless it has failed just now. */
  async #see(chore: Chore, isOver: () => boolean): Promise<{ count: number; done: boolean }> {
    let count = 0;
    if (this.#isResting(chore)) return { count, done: true };
    try {
      while (!(this.#stopped || isOver())) {
        const step = await chore.step();
        count += step.count;
        this.#report.add(chore.what, step.count);
        if (step.done) return { count, done: true };
        if (!this.#stopped) await this.#pause(step);
      }
      return { count, done: false };
    } catch (error) {
      const { clock, log } = this.#parts;
      this.#failedAt.set(chore, clock.now());
      log.error({ err: error, chore: chore.what }, 'could not tidy up; trying again in a minute');
      return { count, done: true };
    }
  }

  /** Whether a chore failed less than a minute ago: rounds that follow at once leave it out. */
  #isResting(chore: Chore): boolean {
    const failedAt = this.#failedAt.get(chore);
    if (failedAt === undefined) return false;
    const passed = this.#parts.clock.now() - failedAt;
    if (passed >= 0 && passed < betweenRounds) return true;
    this.#failedAt.delete(chore);
    return false;
  }

  /** Pauses after a step. What the step itself waited for others counts: they had that time. */
  #pause({ took }: ChoreStep): Promise<void> {
    let pause = usualPause;
    if (took) {
      const longest = took.waitedMs >= contendedPause ? contendedPause : longestPause;
      pause = Math.min(Math.ceil((took.busyMs - took.waitedMs) * pausePerWork), longest);
    }
    return new Promise((resume) => {
      const callOff = this.#parts.clock.after(Math.max(1, pause), resume);
      this.#endPause = () => {
        callOff();
        resume();
      };
    });
  }
}
