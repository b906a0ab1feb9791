import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { type Candidate, findBest } from './best-by-median';
import { type DrainSize, drain } from './drain';
import { createFigure, type Figure, medianRatio } from './figure';
import { formatCount } from './format-count';
import type { GraphileWorkerSettings } from './graphile-worker-process';
import type { PgBossSettings } from './pg-boss-process';
import { allRecordedInPostgres, type BenchPostgres, startBenchPostgres } from './postgres';
import { median } from './quantiles';
import type { JobQueueOperations, QueueContent } from './queued-posts';
import { type Receiver, startReceiver } from './receiver';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';

const sizes = {
  usual: { rounds: 5, endpointCounts: [1, 10], deliveries: 24_000, warmUp: 4_000 },
  quick: { rounds: 1, endpointCounts: [10], deliveries: 200, warmUp: 50 },
};

/** How many deliveries are one job of the form `arrays`. */
const perJob = 200;
/**
 * The fastest that were found. Tried were: 16 to 128 jobs at once, 10 to 64 connections, completions every 0 or 10 ms, 500 to 2,000
 * jobs in the local queue, 50 to 200 deliveries a job.
 */
const graphileWorker = {
  plain: { concurrentJobs: 64, maxPoolSize: 25 },
  batched: {
    concurrentJobs: 32,
    maxPoolSize: 10,
    localQueue: { size: 1_000 },
    completeJobBatchDelay: 10,
    failJobBatchDelay: 10,
  },
  arrays: { concurrentJobs: 4, maxPoolSize: 10, localQueue: { size: 5 } },
} satisfies Record<string, GraphileWorkerSettings>;
/** Likewise. Tried were: 1 to 8 workers, each with 32 to 1,000 jobs at once. */
const pgBoss: PgBossSettings = { workers: 2, batchSize: 1_000, priority: false };

/** Drains a copy of a queue and returns deliveries per second. */
type Drain = () => Promise<number>;

interface Parts {
  context: BenchContext;
  postgres: BenchPostgres;
  receiver: Receiver;
  size: DrainSize;
}

/** A queue of another library. */
interface QueueProgram {
  /** Its program. */
  file: URL;
  /** A query for jobs that are not done. */
  unfinished: string;
}

const programs = {
  graphileWorker: {
    file: new URL('./graphile-worker-process.ts', import.meta.url),
    unfinished: 'SELECT 1 FROM graphile_worker._private_jobs LIMIT 1',
  },
  pgBoss: {
    file: new URL('./pg-boss-process.ts', import.meta.url),
    unfinished: "SELECT 1 FROM pgboss.job WHERE state <> 'completed' LIMIT 1",
  },
};

/** Fills a queue. Returns a function that drains a copy of it with some settings. */
async function createQueue<Settings>(
  { context: { environment }, postgres, receiver, size }: Parts,
  { file, unfinished }: QueueProgram,
  content: Omit<QueueContent, 'url' | 'deliveries'>,
): Promise<(settings: Settings) => Drain> {
  const start = () => startBenchProcess<JobQueueOperations<Settings>>(environment, file);
  const filling = start();
  const { use } = await postgres.createTemplate((url) =>
    filling.call('fill', { ...content, url, deliveries: size.deliveries }),
  );
  await filling.stop();
  return (settings) => () =>
    use((url) =>
      drain(receiver, size, {
        async start() {
          const working = start();
          await working.call('start', { url, trade: content.trade, settings });
          return working;
        },
        allRecorded: () => allRecordedInPostgres(url, unfinished),
      }),
    );
}

/** Fills our queue and those of the others with the same deliveries. */
async function createDrains(parts: Parts) {
  const { context, postgres, receiver, size } = parts;
  const { queue } = await postgres.createDatabases({
    queue: [{ urls: receiver.urls, backlog: size.deliveries, orders: 0 }],
  });
  const { use, trades } = queue;
  const [trade] = trades;
  const [single, arrays, boss] = await Promise.all([
    createQueue<GraphileWorkerSettings>(parts, programs.graphileWorker, { trade }),
    createQueue<GraphileWorkerSettings>(parts, programs.graphileWorker, { trade, perJob }),
    createQueue<PgBossSettings>(parts, programs.pgBoss, { trade }),
  ]);
  return {
    tradepost: () =>
      use((url) =>
        drain(receiver, size, {
          start: () => startTradepostServer(context.environment, url, ['--role', 'worker']),
          allRecorded: () => allRecordedInPostgres(url),
        }),
      ),
    plain: single(graphileWorker.plain),
    batched: single(graphileWorker.batched),
    arrays: arrays(graphileWorker.arrays),
    boss: boss(pgBoss),
  };
}

type Queues = Awaited<ReturnType<typeof createDrains>>;
type Baseline = Exclude<keyof Queues, 'tradepost'>;

const baselines: Record<Baseline, { name: string; settings: object }> = {
  plain: { name: 'graphile-worker, plain', settings: graphileWorker.plain },
  batched: { name: 'graphile-worker, batched', settings: graphileWorker.batched },
  arrays: {
    name: `graphile-worker, ${perJob} deliveries a job`,
    settings: graphileWorker.arrays,
  },
  boss: { name: 'pg-boss', settings: pgBoss },
};

function listNotes(results: Record<keyof Queues, number[]>): string[] {
  const notes = Object.entries(baselines).map(([key, { name, settings }]) => {
    const values = results[key as Baseline];
    const ratio = medianRatio(results.tradepost, values).toFixed(2);
    return `${name}: ${formatCount(Math.round(median(values)))}/s, ours ${ratio}x. ${JSON.stringify(settings)}`;
  });
  return [
    ...notes,
    'graphile-worker records a success by deleting the job, pg-boss by updating it. Ours also inserts an attempt and updates the health of the endpoint.',
  ];
}

/**
 * Measures how many deliveries per second a worker makes from a prepared backlog in PostgreSQL until the last outcome is
 * recorded, against workers of other libraries that post the same from their own queues on the same server.
 */
export async function jobQueues(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick } = context;
  const { rounds, endpointCounts, ...size } = quick ? sizes.quick : sizes.usual;
  const postgres = await startBenchPostgres(environment);
  const figures: Figure[] = [];
  for (const endpoints of endpointCounts) {
    const to = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
    const receiver = await startReceiver(environment, endpoints);
    log(`${to}: queueing ${formatCount(size.deliveries)} deliveries in each queue`);
    const drains = await createDrains({ context, postgres, receiver, size });
    const results = await interleave(rounds, drains, (round) =>
      log(`${to}: round ${round} of ${rounds}`),
    );
    await receiver.stop();
    const candidates: Candidate[] = Object.entries(baselines).map(([key, { name }]) => ({
      name,
      values: results[key as Baseline],
    }));
    const { name, values } = findBest(candidates, 'highest');
    figures.push(
      createFigure({
        bench: 'jobQueues',
        what: `deliveries sent and recorded in PostgreSQL, ${to}`,
        unit: '/s',
        ours: results.tradepost,
        baseline: { what: name, values },
        goal: { of: 'ratio', bound: 'at least', value: 2 },
        notes: listNotes(results),
      }),
    );
  }
  return figures;
}
