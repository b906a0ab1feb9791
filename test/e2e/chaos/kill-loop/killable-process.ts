import { passTurns } from '../../../helpers/pass-turns';
import { tradepostServerBin } from '../../../helpers/programs';
import { type RunningProcess, startProcess } from '../../../helpers/start-process';

/** Enough to read everything that a killed process has left in sockets. */
const turnsAfterKill = 20;

/** Options of every server: plain HTTP receivers, and no limit that clients could reach. */
const commonArgs = [
  '--allow-insecure-webhooks',
  '--log-level',
  'warn',
  '--rate-limit',
  '100000000',
];

/** Waits for work, unless a process exits unexpectedly before. */
export class CrashWatch {
  #report: (error: Error) => void = () => {};
  readonly #crash: Promise<never>;

  constructor() {
    this.#crash = new Promise((_, reject) => {
      this.#report = reject;
    });
    // A process may crash while nothing waits for this promise.
    this.#crash.catch(() => {});
  }

  /** Reports that a process exited. */
  report(error: Error): void {
    this.#report(error);
  }

  /** Rejects if a process exits unexpectedly before `work` ends. */
  failOnCrash<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#crash]);
  }
}

/** A server process that can be killed and started again. */
export class KillableProcess {
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #crashes: CrashWatch;
  #process: RunningProcess | null = null;

  /** @param args Options of `tradepost-server start`. */
  constructor(name: string, args: readonly string[], crashes: CrashWatch) {
    this.#name = name;
    this.#args = [tradepostServerBin, 'start', ...args, ...commonArgs];
    this.#crashes = crashes;
  }

  /** Starts the process. Its exit is reported as a crash until it is killed or stopped. */
  start(): RunningProcess {
    const child = startProcess(process.execPath, this.#args);
    this.#process = child;
    const handleExit = (ending: string) => {
      if (this.#process !== child) return;
      this.#crashes.report(new Error(`${this.#name} exited by itself: ${ending}`));
    };
    child.exit.then(
      ({ code, signal, stderr }) => handleExit(`${code ?? signal}\n${stderr.slice(-4_000)}`),
      (error: unknown) => handleExit(String(error)),
    );
    return child;
  }

  /** Kills the process as a crash would, and waits until everything it sent is read. */
  async kill(): Promise<void> {
    await this.#detach().stop('SIGKILL');
    await passTurns(turnsAfterKill);
  }

  /** Stops the process as an operator does. Rejects if the exit code is not 0. */
  async stop(): Promise<void> {
    const { code, signal, stderr } = await this.#detach().stop('SIGTERM');
    if (code === 0) return;
    throw new Error(`A clean stop of ${this.#name} ended with ${code ?? signal}:\n${stderr}`);
  }

  /** Kills the process if it runs. */
  async close(): Promise<void> {
    if (this.#process !== null) await this.kill();
  }

  /** What the process has written to stderr since it was started. */
  get stderr(): string {
    return this.#process?.stderr() ?? '';
  }

  /** Returns the process, whose exit is expected from now on. */
  #detach(): RunningProcess {
    if (this.#process === null) throw new Error(`${this.#name} is not running.`);
    const process = this.#process;
    this.#process = null;
    return process;
  }
}
