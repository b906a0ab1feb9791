import { setTimeout } from 'node:timers/promises';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../../packages/server/test/helpers/embedded-postgres';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { exhaustConnections, lockRow, terminateConnections } from './database-faults';
import { formatPair } from './expected-pairs';
import { drawActivityPoint, waitForKillPoint } from './kill-point';
import { CrashWatch, KillableProcess } from './killable-process';
import type { Arrival, OperationLog } from './operation-log';
import {
  checkPostgresFiles,
  countPending,
  countWorkers,
  readPostgresState,
} from './postgres-state';
import type { RecordedState } from './recorded-state';
import { choosePort } from './sqlite-system';
import { RecoveryTimes } from './summary';
import type { RoundContext, System } from './system';

/** All faults. The first rounds have each of them once. */
export const faults = [
  'restart fast',
  'restart immediate',
  'terminate connections',
  'exhaust connections',
  'lock listing',
  'lock order',
  'lock queue',
  'kill api',
  'kill worker',
] as const;

type Fault = (typeof faults)[number];

/** The faults that may end the session of a worker, which others then consider dead, while PostgreSQL runs on. */
const terminatingFaults: Fault[] = ['terminate connections', 'exhaust connections', 'kill worker'];

/** How many processes of each role there are. */
const processesPerRole = 3;
/** The connections of a process, besides one more of each worker. */
const connectionsPerProcess = 5;
/** Those of all processes, of the faults, and some more. */
const maxConnections = 50;
/** How long a killed process or a stopped database stays down at most, in milliseconds. */
const maxDowntimeMs = 2_500;
/** After that, the servers are considered not to recover by themselves. */
const recoveryTimeoutMs = 60_000;
const pollIntervalMs = 20;

function shuffle<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  return items
    .map((item) => ({ item, position: random.next() }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item);
}

/** A process and the address of its health endpoints. */
interface Member {
  process: KillableProcess;
  /** What it prints when it works. */
  isStarted: RegExp;
  healthUrl: string;
}

/** Three API processes and three workers on a durable PostgreSQL server. In each round, one fault happens and ends. */
export class PostgresSystem implements System {
  readonly database: string;
  readonly urls: readonly string[];
  readonly killedAt = new Map<number, number>();
  readonly disturbedRuns = new Set<number>();
  readonly crashedRuns = new Set<number>();
  readonly isUpBetweenRounds = true;
  readonly #server: PostgresServer;
  readonly #random: SeededRandom;
  readonly #crashes = new CrashWatch();
  readonly #apis: Member[];
  readonly #workers: Member[];
  readonly #times = new RecoveryTimes<Fault>();
  readonly #planned: Fault[];
  /** The faults, by the number of the run during which they happened and everything recovered. */
  readonly #faultyRuns = new Map<number, Fault>();
  #run = 1;

  private constructor(server: PostgresServer, ports: number[], random: SeededRandom) {
    this.database = server.url;
    this.#server = server;
    this.#random = random.stream('faults');
    this.#planned = shuffle(faults, this.#random);
    const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
    this.urls = addresses.slice(0, processesPerRole);
    const create = (role: 'api' | 'worker', port: number, index: number): Member => {
      const name = `${role} ${index + 1}`;
      const option = role === 'api' ? '--port' : '--metrics-port';
      const connections = ['--database-connections', String(connectionsPerProcess)];
      const args = ['--role', role, option, String(port), '--database', server.url, ...connections];
      return {
        process: new KillableProcess(name, args, this.#crashes),
        isStarted: role === 'api' ? /^listening on /m : /^metrics on /m,
        healthUrl: `http://127.0.0.1:${port}/readyz`,
      };
    };
    this.#apis = ports.slice(0, processesPerRole).map((port, index) => create('api', port, index));
    this.#workers = ports
      .slice(processesPerRole)
      .map((port, index) => create('worker', port, index));
  }

  /** Starts PostgreSQL, and chooses the ports of the servers. */
  static async create(folder: string, random: SeededRandom): Promise<PostgresSystem> {
    const server = await startPostgresServer({ folder, maxConnections });
    const ports = new Set<number>();
    while (ports.size < 2 * processesPerRole) ports.add(await choosePort(random));
    return new PostgresSystem(server, [...ports], random);
  }

  get run(): number {
    return this.#run;
  }

  /** Requests are always sent: most faults do not concern all processes. */
  async waitUntilUp(): Promise<void> {}

  async start(): Promise<void> {
    await Promise.all(this.#members.map((member) => this.#startMember(member)));
  }

  async runRound({ activity, probe }: RoundContext): Promise<void> {
    const fault = this.#planned.shift() ?? this.#random.pick(faults);
    await waitForKillPoint(drawActivityPoint(this.#random), activity);
    const startedAt = this.#startRun();
    this.#faultyRuns.set(this.#run, fault);
    // What was leased again may arrive after the fault has ended.
    const disturbed = terminatingFaults.includes(fault) ? [this.#run, this.#run + 1] : [];
    for (const run of disturbed) this.disturbedRuns.add(run);
    if (fault === 'restart immediate') this.crashedRuns.add(this.#run);
    await this.#cause(fault);
    const endedAt = performance.now();
    const since = () => performance.now() - endedAt;
    const recovered = Promise.all([
      Promise.all(this.urls.map(probe)).then(async (probes) => {
        const writes = since();
        await Promise.all(probes.map(({ delivered }) => delivered));
        return { writes, deliveries: since() };
      }),
      this.#poll(() => this.#areWorkersKnown()).then(since),
      Promise.all(this.#members.map(({ healthUrl }) => this.#poll(() => isReady(healthUrl)))).then(
        since,
      ),
    ]);
    const [probed, leases, ready] = await this.#withinTime(fault, recovered);
    this.#times.add(fault, { lasted: endedAt - startedAt, ...probed, leases, ready });
    this.#startRun();
  }

  async finishRounds(): Promise<void> {}

  failOnCrash<Result>(work: Promise<Result>): Promise<Result> {
    return this.#crashes.failOnCrash(work);
  }

  /** Waits until all deliveries are recorded as made, or nothing has changed for a minute. */
  async finishDeliveries(): Promise<void> {
    let last = Number.POSITIVE_INFINITY;
    let deadline = 0;
    for (;;) {
      const left = await countPending(this.database);
      if (left < last) deadline = performance.now() + recoveryTimeoutMs;
      if (left === 0 || performance.now() >= deadline) return;
      last = left;
      await setTimeout(10 * pollIntervalMs);
    }
  }

  readState(): Promise<RecordedState> {
    return readPostgresState(this.database);
  }

  checkFiles(): Promise<string[]> {
    return checkPostgresFiles(this.database);
  }

  report({ arrivals }: OperationLog): object[] {
    return this.#times.summarize((fault) =>
      countDuplicates(arrivals, (run) => this.#faultyRuns.get(run) === fault),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process.stop()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process.close()));
    await this.#server.stop();
  }

  get #members(): Member[] {
    return [...this.#apis, ...this.#workers];
  }

  /** Whether dead workers are forgotten, and all others seen to be alive. */
  async #areWorkersKnown(): Promise<boolean> {
    const { registered, locked } = await countWorkers(this.database);
    return registered === processesPerRole && locked === processesPerRole;
  }

  /** Ends a run. Returns the current time. */
  #startRun(): number {
    const now = performance.now();
    this.killedAt.set(this.#run, now);
    this.#run += 1;
    return now;
  }

  async #startMember({ process, isStarted }: Member): Promise<void> {
    await process.start().writes(isStarted);
  }

  /** Resolves when the fault has ended: the database and all processes run again. */
  async #cause(fault: Fault): Promise<void> {
    const random = this.#random;
    switch (fault) {
      case 'restart fast':
      case 'restart immediate':
        await this.#server.stop(fault === 'restart fast' ? 'fast' : 'immediate');
        await this.#stayDown();
        return this.#server.start();
      case 'terminate connections':
        return terminateConnections(this.database, random);
      case 'exhaust connections':
        return exhaustConnections(this.database, random);
      case 'lock listing':
        return lockRow(this.database, 'listing', random);
      case 'lock order':
        return lockRow(this.database, 'order', random);
      case 'lock queue':
        return lockRow(this.database, 'queue', random);
      case 'kill api':
        return this.#killAndStart(random.pick(this.#apis));
      case 'kill worker':
        return this.#killAndStart(random.pick(this.#workers));
    }
  }

  async #killAndStart(member: Member): Promise<void> {
    await member.process.kill();
    await this.#stayDown();
    await this.#startMember(member);
  }

  /** Half of the time, what is down starts again at once. */
  async #stayDown(): Promise<void> {
    if (this.#random.chance(0.5)) await setTimeout(this.#random.below(maxDowntimeMs));
  }

  readLog(requestId: string): string {
    return this.#members
      .flatMap(({ process }) => process.stderr.split('\n'))
      .filter((line) => line.includes(requestId))
      .join('\n');
  }

  async #poll(check: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + recoveryTimeoutMs;
    // The caller has given up by then.
    while (performance.now() < deadline && !(await check())) await setTimeout(pollIntervalMs);
  }

  async #withinTime<Result>(fault: Fault, recovered: Promise<Result>): Promise<Result> {
    const cancel = new AbortController();
    const timeout = setTimeout(recoveryTimeoutMs, null, { signal: cancel.signal }).then(
      async () => {
        const workers = JSON.stringify(await countWorkers(this.database));
        const logs = this.#members.map(({ process }) => process.stderr.slice(-2_000)).join('\n\n');
        throw new Error(`The servers did not recover from: ${fault}. Workers: ${workers}\n${logs}`);
      },
    );
    timeout.catch(() => {});
    try {
      return await Promise.race([recovered, timeout]);
    } finally {
      cancel.abort();
    }
  }
}

/** Counts arrivals in some runs of what had been acknowledged before. */
function countDuplicates(arrivals: Arrival[], isCounted: (run: number) => boolean): number {
  const acknowledged = new Set<string>();
  let count = 0;
  for (const { eventId, webhookId, acknowledgedAt, run } of arrivals) {
    const pair = formatPair(eventId, webhookId);
    if (acknowledged.has(pair) && isCounted(run)) count += 1;
    if (acknowledgedAt !== null) acknowledged.add(pair);
  }
  return count;
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
}
