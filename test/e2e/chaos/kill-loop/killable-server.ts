import { isPortFree } from '../../../helpers/loopback';
import { passTurns } from '../../../helpers/pass-turns';
import { tradepostServerBin } from '../../../helpers/programs';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { type RunningProcess, startProcess } from '../../../helpers/start-process';

/** Enough to read everything that a killed process has left in sockets. */
const turnsAfterKill = 20;

/** Chooses a free port below the ephemeral ones, so that no other process gets it while the server is down. */
async function choosePort(random: SeededRandom): Promise<number> {
  for (;;) {
    const port = 20_000 + random.below(10_000);
    if (await isPortFree(port)) return port;
  }
}

/** The real server on one file and one port. It can be killed and restarted. */
export class KillableServer {
  readonly url: string;
  /** When each run was killed, by its number: `performance.now()`. */
  readonly killedAt = new Map<number, number>();
  readonly #crash: Promise<never>;
  readonly #args: string[];
  #reportCrash: (error: Error) => void = () => {};
  #process: RunningProcess | null = null;
  #runs = 0;
  #isListening = false;
  #waiting: (() => void)[] = [];

  private constructor(database: string, port: number) {
    const insecure = ['--allow-insecure-webhooks', '--log-level', 'warn'];
    const location = ['--port', String(port), '--database', database];
    this.#args = [
      tradepostServerBin,
      'start',
      ...location,
      ...insecure,
      '--rate-limit',
      '100000000',
    ];
    this.url = `http://127.0.0.1:${port}`;
    this.#crash = new Promise((_, reject) => {
      this.#reportCrash = reject;
    });
    // The server may crash while nothing waits for this promise.
    this.#crash.catch(() => {});
  }

  /** Chooses the port. `start` starts the server. */
  static async create(database: string, random: SeededRandom): Promise<KillableServer> {
    return new KillableServer(database, await choosePort(random));
  }

  /** The number of the run, from 1. Each start is a new run. */
  get run(): number {
    return this.#runs;
  }

  /** Resolves when the server accepts requests: at once, or after the next start. */
  waitUntilUp(): Promise<void> {
    if (this.#isListening) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  /** Starts the server and waits until it accepts requests. */
  async start(): Promise<void> {
    await this.#spawn().writes(/^listening on /m);
    this.#isListening = true;
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Starts the server and kills it `turns` turns of the event loop after it has opened its database. */
  async startAndKill(turns: number): Promise<void> {
    await this.#spawn().writes(/INSECURE/, 'stderr');
    await passTurns(turns);
    await this.kill();
  }

  /** Kills the server as a crash would, and waits until everything it sent is read. */
  async kill(): Promise<void> {
    this.#isListening = false;
    const killed = this.#detach();
    this.killedAt.set(this.#runs, performance.now());
    await killed.stop('SIGKILL');
    await passTurns(turnsAfterKill);
  }

  /** Stops the server as an operator does. Rejects if the exit code is not 0. */
  async stop(): Promise<void> {
    this.#isListening = false;
    const { code, signal, stderr } = await this.#detach().stop('SIGTERM');
    if (code !== 0) throw new Error(`A clean stop ended with ${code ?? signal}:\n${stderr}`);
  }

  /** Waits for `work`. Rejects if the server exits unexpectedly before. */
  failOnCrash<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#crash]);
  }

  /** Kills the server if it runs. */
  async close(): Promise<void> {
    if (this.#process !== null) await this.kill();
  }

  #spawn(): RunningProcess {
    this.#runs += 1;
    const child = startProcess(process.execPath, this.#args);
    this.#process = child;
    const handleExit = (ending: string) => {
      if (this.#process !== child) return;
      this.#reportCrash(new Error(`Run ${this.#runs} of the server exited by itself: ${ending}`));
    };
    child.exit.then(
      ({ code, signal, stderr }) => handleExit(`${code ?? signal}\n${stderr.slice(-4_000)}`),
      (error: unknown) => handleExit(String(error)),
    );
    return child;
  }

  /** Returns the process, whose exit is expected from now on. */
  #detach(): RunningProcess {
    if (this.#process === null) throw new Error('The server is not running.');
    const process = this.#process;
    this.#process = null;
    return process;
  }
}
