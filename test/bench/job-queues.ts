import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createFigure, type Figure } from './figure';
import type { PgBossOperations } from './pg-boss-process';
import { allRecordedInPostgres, startBenchPostgres } from './postgres';
import { drain, startReceiver } from './receiver';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';

const sizes = {
  usual: { rounds: 5, endpointCounts: [1, 10], deliveries: 24_000, warmUp: 4_000 },
  quick: { rounds: 1, endpointCounts: [10], deliveries: 200, warmUp: 50 },
};

const program = new URL('./pg-boss-process.ts', import.meta.url);
const unfinishedJobs = "SELECT 1 FROM pgboss.job WHERE state <> 'completed' LIMIT 1";

/**
 * Measures how many deliveries per second a worker makes from a prepared backlog in PostgreSQL until the last outcome is
 * recorded, against pg-boss, which posts the same from its own queue on the same server.
 */
export async function jobQueues(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick } = context;
  const { rounds, endpointCounts, ...size } = quick ? sizes.quick : sizes.usual;
  const postgres = await startBenchPostgres(environment);
  const startBoss = () => startBenchProcess<PgBossOperations>(environment, program);
  const figures: Figure[] = [];
  for (const endpoints of endpointCounts) {
    const to = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
    const receiver = await startReceiver(environment, endpoints);
    log(`${to}: queueing ${formatCount(size.deliveries)} deliveries in each queue`);
    const { queue } = await postgres.createDatabases({
      queue: [{ urls: receiver.urls, backlog: size.deliveries, orders: 0 }],
    });
    const [trade] = queue.trades;
    const filling = startBoss();
    const jobs = await postgres.createTemplate((url) =>
      filling.call('fill', { url, trade, deliveries: size.deliveries }),
    );
    await filling.stop();
    const { ours, boss } = await interleave(
      rounds,
      {
        ours: () =>
          queue.use((url) =>
            drain(receiver, size, {
              start: () => startTradepostServer(environment, url, ['--role', 'worker']),
              allRecorded: () => allRecordedInPostgres(url),
            }),
          ),
        boss: () =>
          jobs.use((url) =>
            drain(receiver, size, {
              async start() {
                const working = startBoss();
                await working.call('start', { url, trade });
                return working;
              },
              allRecorded: () => allRecordedInPostgres(url, unfinishedJobs),
            }),
          ),
      },
      log,
      to,
    );
    await receiver.stop();
    figures.push(
      createFigure({
        bench: 'jobQueues',
        what: `deliveries sent and recorded in PostgreSQL, ${to}`,
        unit: '/s',
        ours,
        baseline: { what: 'pg-boss', values: boss },
        goal: { of: 'ratio', bound: 'at least', value: 0.8 },
        notes: [
          'pg-boss records a success by updating its job. Ours also inserts an attempt and updates the health of the endpoint.',
        ],
      }),
    );
  }
  return figures;
}
