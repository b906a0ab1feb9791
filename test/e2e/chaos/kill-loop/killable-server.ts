import { once } from 'node:events';
import { createServer } from 'node:net';
import { passTurns } from '../../../helpers/pass-turns';
import { tradepostServerBin } from '../../../helpers/programs';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { type RunningProcess, startProcess } from '../../../helpers/start-process';

/** Enough for everything that a killed process has left in sockets to be read. */
const turnsAfterDeath = 20;

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  probe.listen(port, '127.0.0.1');
  const free = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (free) probe.close();
  return free;
}

/** A free port below those that systems hand out: nobody is given it while the server is down. */
async function choosePort(random: SeededRandom): Promise<number> {
  for (;;) {
    const port = 20_000 + random.below(10_000);
    if (await isFree(port)) return port;
  }
}

/** The real server on one file and one port, killed and started again as often as need be. */
export class KillableServer {
  readonly url: string;
  /** When each run was killed, by its number: `performance.now()`. */
  readonly killedAt = new Map<number, number>();
  readonly #crash: Promise<never>;
  readonly #args: string[];
  #noteCrash: (error: Error) => void = () => {};
  #process: RunningProcess | null = null;
  #runs = 0;
  #listens = false;
  #waiting: (() => void)[] = [];

  private constructor(database: string, port: number) {
    const insecure = ['--allow-insecure-webhooks', '--log-level', 'warn'];
    const place = ['--port', String(port), '--database', database];
    this.#args = [tradepostServerBin, 'start', ...place, ...insecure, '--rate-limit', '100000000'];
    this.url = `http://127.0.0.1:${port}`;
    this.#crash = new Promise((_, reject) => {
      this.#noteCrash = reject;
    });
    // It may come while nobody waits for it.
    this.#crash.catch(() => {});
  }

  /** Chooses the port. The server is started by `start`. */
  static async on(database: string, random: SeededRandom): Promise<KillableServer> {
    return new KillableServer(database, await choosePort(random));
  }

  /** The number of the run, from 1: each start is another one. */
  get run(): number {
    return this.#runs;
  }

  /** Fulfils when it accepts requests: at once, or after the next start. */
  up(): Promise<void> {
    if (this.#listens) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  /** Starts it and waits until it accepts requests. */
  async start(): Promise<void> {
    await this.#spawn().writes(/^listening on /m);
    this.#listens = true;
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Starts it and kills it `turns` turns of the event loop after it opened its database. */
  async startAndKill(turns: number): Promise<void> {
    await this.#spawn().writes(/INSECURE/, 'stderr');
    await passTurns(turns);
    await this.kill();
  }

  /** Kills it as a crash would, and waits until nothing of it is left. */
  async kill(): Promise<void> {
    this.#listens = false;
    const killed = this.#letGo();
    this.killedAt.set(this.#runs, performance.now());
    await killed.stop('SIGKILL');
    await passTurns(turnsAfterDeath);
  }

  /** Stops it as an operator does. Rejects when it does not end well. */
  async stop(): Promise<void> {
    this.#listens = false;
    const { code, signal, stderr } = await this.#letGo().stop('SIGTERM');
    if (code !== 0) throw new Error(`A clean stop ended with ${code ?? signal}:\n${stderr}`);
  }

  /** Waits for work to be done; rejects when the server ends meanwhile that nobody ended. */
  unlessItEnds<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#crash]);
  }

  /** Ends it whatever it does, for when the loop is given up. */
  async discard(): Promise<void> {
    if (this.#process !== null) await this.kill();
  }

  #spawn(): RunningProcess {
    this.#runs += 1;
    const child = startProcess(process.execPath, this.#args);
    this.#process = child;
    const noteEnd = (how: string) => {
      if (this.#process !== child) return;
      this.#noteCrash(new Error(`Run ${this.#runs} of the server ended by itself: ${how}`));
    };
    child.exit.then(
      ({ code, signal, stderr }) => noteEnd(`${code ?? signal}\n${stderr.slice(-4_000)}`),
      (error: unknown) => noteEnd(String(error)),
    );
    return child;
  }

  /** From here on its end is expected. */
  #letGo(): RunningProcess {
    if (this.#process === null) throw new Error('The server does not run.');
    const process = this.#process;
    this.#process = null;
    return process;
  }
}
