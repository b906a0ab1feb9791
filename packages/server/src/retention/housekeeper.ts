import { type Clock, formatTimestamp } from '@tradepost/domain/kernel/context';
import { type DisablingSettings, disableFailing } from '@tradepost/domain/webhooks/disabling';
import type { DisabledWebhook } from '@tradepost/domain/webhooks/webhook-store';
import type { Logger } from 'pino';
import type { PruneTask, PruneTaskDependencies, PruneTaskStep } from './prune-task';
import { createOverdueTask, createPruneTasks } from './prune-tasks';

/** Soon after the start, but after the deliveries that an earlier process left are being sent. */
const firstRoundDelayMs = 5_000;
const roundIntervalMs = 60_000;
/** How long one round prunes one type of data, in milliseconds. What is left continues in the next round, which follows at once. */
const maxRoundMs = 2_000;
/**
 * The pause after a step, as a multiple of the step's own work. It leaves most of the time of the store and of the thread to
 * requests and deliveries, on any machine.
 */
const pauseRatio = 2;
/** The longest pause in milliseconds. */
const maxPauseMs = 100;
/** The longest pause after a step that waited as long as this: next to continuous writers it gets few turns. */
const contendedPauseMs = 12;
/** The pause after a step whose work was not measured. */
const defaultPauseMs = 10;

/** The dependencies of a `Housekeeper`. */
export interface HousekeeperDependencies extends PruneTaskDependencies, DisablingSettings {
  log: Logger;
  /** Called for each webhook that was disabled. */
  onDisabled?: () => void;
  /** Called with the number of deliveries that failed because their deadline passed while they waited. */
  onFailed?: (count: number) => void;
}

/**
 * Fails expired deliveries, disables endpoints that keep failing, and removes old data, in a round each minute, or in consecutive
 * rounds as long as there is more to do. It works in small steps with pauses, so that requests and deliveries do not wait for it.
 */
export class Housekeeper {
  readonly #dependencies: HousekeeperDependencies;
  readonly #overdue: PruneTask;
  readonly #disabling: PruneTask;
  readonly #pruning: PruneTask[];
  readonly #report: PruneReport;
  /** When tasks failed that have not been retried since. */
  readonly #failedAt = new Map<PruneTask, number>();
  #stopped = false;
  #round: Promise<void> | null = null;
  #cancelRound: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(dependencies: HousekeeperDependencies) {
    this.#dependencies = dependencies;
    this.#overdue = createOverdueTask(dependencies);
    this.#disabling = { name: 'disabledWebhooks', step: () => this.#disable() };
    this.#pruning = createPruneTasks(dependencies);
    this.#report = new PruneReport(dependencies.clock, dependencies.log);
  }

  /** Starts the first round in a few seconds. */
  start(): void {
    this.#schedule(firstRoundDelayMs);
  }

  /** Starts nothing more, and waits for the current step. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRound();
    this.#endPause();
    await this.#round;
    this.#report.flush();
  }

  #schedule(delay: number): void {
    this.#cancelRound = this.#dependencies.clock.schedule(delay, () => {
      this.#round = this.#runRound().then(() => {
        if (!this.#stopped) this.#schedule(roundIntervalMs);
      });
    });
  }

  /** Runs rounds until nothing is left to do. */
  async #runRound(): Promise<void> {
    while (await this.#runTasks()) this.#report.flushIfDue();
    this.#report.flush();
  }

  /** @returns Whether more is left to do at once. */
  async #runTasks(): Promise<boolean> {
    const { clock, onFailed } = this.#dependencies;
    const { count: failed } = await this.#run(this.#overdue, () => false);
    if (failed > 0) this.#notify(() => onFailed?.(failed));
    await this.#run(this.#disabling, () => false);
    let hasMore = false;
    for (const task of this.#pruning) {
      if (task.isLast && hasMore) continue;
      let isOver = false;
      const cancelTimer = clock.schedule(maxRoundMs, () => {
        isOver = true;
      });
      const { done } = await this.#run(task, () => isOver);
      cancelTimer();
      hasMore ||= !done;
    }
    return hasMore && !this.#stopped;
  }

  async #disable(): Promise<PruneTaskStep> {
    const { disabled, hasMore } = await disableFailing(this.#dependencies);
    for (const one of disabled) {
      this.#logDisabled(one);
      this.#notify(() => this.#dependencies.onDisabled?.());
    }
    return { count: disabled.length, done: !hasMore };
  }

  #logDisabled({ webhookId, accountId, url, ...rest }: DisabledWebhook): void {
    const { failingSince, lastStatus, lastError } = rest;
    this.#dependencies.log.warn(
      {
        webhookId,
        accountId,
        // Its path may have a key of the receiver.
        host: new URL(url).host,
        failingSince: formatTimestamp(failingSince),
        lastStatus,
        lastError,
      },
      'webhook disabled: its endpoint kept failing',
    );
  }

  /** An error in a listener must not end the rounds. */
  #notify(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#dependencies.log.error({ err: error }, 'counting what was done failed');
    }
  }

  /** Runs a task until nothing is left to do or its time is over, unless it failed recently. */
  async #run(task: PruneTask, isOver: () => boolean): Promise<{ count: number; done: boolean }> {
    let count = 0;
    if (this.#failedRecently(task)) return { count, done: true };
    try {
      while (!(this.#stopped || isOver())) {
        const step = await task.step();
        count += step.count;
        this.#report.add(task.name, step.count);
        if (step.done) return { count, done: true };
        if (!this.#stopped) await this.#pause(step);
      }
      return { count, done: false };
    } catch (error) {
      const { clock, log } = this.#dependencies;
      this.#failedAt.set(task, clock.now());
      log.error({ err: error, task: task.name }, 'housekeeping failed; retrying in a minute');
      return { count, done: true };
    }
  }

  /** Returns whether a task failed less than a minute ago: rounds that follow at once skip it. */
  #failedRecently(task: PruneTask): boolean {
    const failedAt = this.#failedAt.get(task);
    if (failedAt === undefined) return false;
    const elapsed = this.#dependencies.clock.now() - failedAt;
    if (elapsed >= 0 && elapsed < roundIntervalMs) return true;
    this.#failedAt.delete(task);
    return false;
  }

  /** Pauses after a step. The time that the step waited for others is subtracted, because they had it. */
  #pause({ took }: PruneTaskStep): Promise<void> {
    let pause = defaultPauseMs;
    if (took) {
      const longest = took.waitedMs >= contendedPauseMs ? contendedPauseMs : maxPauseMs;
      pause = Math.min(Math.ceil((took.busyMs - took.waitedMs) * pauseRatio), longest);
    }
    return new Promise((resume) => {
      const cancelTimer = this.#dependencies.clock.schedule(Math.max(1, pause), resume);
      this.#endPause = () => {
        cancelTimer();
        resume();
      };
    });
  }
}

/** How often counts are logged during continuous work, in milliseconds. */
const logIntervalMs = 60_000;

/** Counts what was done and logs it when all is done, and once a minute meanwhile. */
export class PruneReport {
  readonly #clock: Clock;
  readonly #log: Logger;
  #counts: Record<string, number> = {};
  #since = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Adds to the count of a task. */
  add(name: string, count: number): void {
    if (count === 0) return;
    if (Object.keys(this.#counts).length === 0) this.#since = this.#clock.now();
    this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }

  /** Logs the counts if a minute has passed since the first of them. */
  flushIfDue(): void {
    const elapsed = this.#clock.now() - this.#since;
    // A clock that was set back must not delay it.
    if (elapsed >= logIntervalMs || elapsed < 0) this.flush();
  }

  /** Logs the counts, if there are any. */
  flush(): void {
    if (Object.keys(this.#counts).length === 0) return;
    this.#log.info(this.#counts, 'housekeeping done');
    this.#counts = {};
  }
}
