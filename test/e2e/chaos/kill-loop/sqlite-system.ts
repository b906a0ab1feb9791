import { join } from 'node:path';
import { isPortFree } from '../../../helpers/loopback';
import { passTurns } from '../../../helpers/pass-turns';
import type { SeededRandom } from '../../../helpers/seeded-random';
import type { Drain } from './drain';
import { drawKillPoint, waitForKillPoint } from './kill-point';
import { CrashWatch, KillableProcess } from './killable-process';
import type { RecordedState } from './recorded-state';
import { checkSqliteFile, readSqlitePending, readSqliteState } from './sqlite-state';
import type { RoundContext, System } from './system';

/** Chooses a free port below the ephemeral ones, so that no other process gets it while the server is down. */
export async function choosePort(random: SeededRandom): Promise<number> {
  for (;;) {
    const port = 20_000 + random.below(10_000);
    if (await isPortFree(port)) return port;
  }
}

/** One server on one file and one port. In each round it is started and killed. */
export class SqliteSystem implements System {
  readonly database: string;
  readonly urls: readonly string[];
  readonly killedAt = new Map<number, number>();
  readonly disturbedRuns = new Set<number>();
  readonly crashedRuns = new Set<number>();
  readonly isUpBetweenRounds = false;
  readonly #random: SeededRandom;
  readonly #crashes = new CrashWatch();
  readonly #server: KillableProcess;
  #runs = 0;
  #isListening = false;
  #waiting: (() => void)[] = [];

  private constructor(database: string, port: number, random: SeededRandom) {
    const args = ['--port', String(port), '--database', database];
    this.database = database;
    this.urls = [`http://127.0.0.1:${port}`];
    this.#random = random.stream('kills');
    this.#server = new KillableProcess('The server', args, this.#crashes);
  }

  /** Chooses the port. Starts nothing yet. */
  static async create(folder: string, random: SeededRandom): Promise<SqliteSystem> {
    return new SqliteSystem(join(folder, 'tradepost.db'), await choosePort(random), random);
  }

  get run(): number {
    return this.#runs;
  }

  waitUntilUp(): Promise<void> {
    if (this.#isListening) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  async start(): Promise<void> {
    this.#runs += 1;
    await this.#server.start().writes(/^listening on /m);
    this.#isListening = true;
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Starts the server and kills it at a random point, perhaps before it accepts requests. */
  async runRound({ activity }: RoundContext): Promise<void> {
    if (this.#isListening) await this.stop();
    const killPoint = drawKillPoint(this.#random);
    if (killPoint.by === 'start') {
      this.#runs += 1;
      await this.#server.start().writes(/INSECURE/, 'stderr');
      await passTurns(killPoint.turns);
    } else {
      await this.start();
      await waitForKillPoint(killPoint, activity);
    }
    await this.#kill();
  }

  finishRounds(): Promise<void> {
    return this.start();
  }

  failOnCrash<Result>(work: Promise<Result>): Promise<Result> {
    return this.#crashes.failOnCrash(work);
  }

  /** The run that is left makes the deliveries that are pending now, even those that an earlier run made but did not record. */
  finishDeliveries(drain: Drain): Promise<void> {
    return drain.waitForAll(readSqlitePending(this.database), this.#runs);
  }

  async readState(): Promise<RecordedState> {
    return readSqliteState(this.database);
  }

  async checkFiles(): Promise<string[]> {
    return checkSqliteFile(this.database);
  }

  report(): object[] {
    return [];
  }

  async stop(): Promise<void> {
    this.#isListening = false;
    await this.#server.stop();
  }

  async close(): Promise<void> {
    this.#isListening = false;
    await this.#server.close();
  }

  async #kill(): Promise<void> {
    this.#isListening = false;
    this.killedAt.set(this.#runs, performance.now());
    await this.#server.kill();
  }
}
