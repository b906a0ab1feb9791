import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import type { EnqueueOperations } from './enqueue-process';
import { createFigure, type Figure } from './figure';
import { startBenchPostgres } from './postgres';
import { interleave } from './rounds';

const sizes = {
  usual: { rounds: 7, orders: 400, warmUp: 100, past: 5_000 },
  quick: { rounds: 1, orders: 10, warmUp: 5, past: 10 },
};
const loads = [1, 16];

/** Whether changes share transactions, against changes that share flushes of the log at most. */
const isGrouped = (callers: number, baseline: string) => callers > 1 && baseline === 'update';

/**
 * Measures what a change of a status costs with everything that it causes, against only updating the order: through the store,
 * without HTTP. Of one caller, each change has a transaction of its own; those of several share some.
 */
export async function enqueue({ environment, quick, log }: BenchContext): Promise<Figure[]> {
  const { rounds, orders, warmUp, past } = quick ? sizes.quick : sizes.usual;
  const postgres = await startBenchPostgres(environment);
  const program = new URL('./enqueue-process.ts', import.meta.url);
  const client = startBenchProcess<EnqueueOperations>(environment, program);
  // Nothing is delivered to these: no worker runs. Past orders, because empty tables are scanned.
  const urls = ['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two'];
  const { database } = await postgres.createDatabases({
    database: [
      { urls, events: ['order.status_changed'], hasAgent: true, backlog: 0, orders: past },
    ],
  });
  const connections = Math.max(...loads);
  await client.call('open', { url: database.file, trade: database.trades[0], connections });

  const figures: Figure[] = [];
  for (const callers of loads) {
    const measure = async (how: 'confirm' | 'update' | 'updateAtOnce', count: number) => {
      const ids = await client.call('place', count);
      return await client.call(how, { ids, callers });
    };
    const sides = (count: number) => ({
      ours: () => measure('confirm', count),
      update: () => measure('update', count),
      atOnce: () => measure('updateAtOnce', count),
    });
    await interleave(1, sides(warmUp));
    const results = await interleave(rounds, sides(orders), log, `${callers} at a time`);
    const what = `status changes with event, 3 notifications, 2 deliveries; ${callers} at a time`;
    const baselines = {
      update: 'BEGIN, UPDATE and COMMIT, one after the other',
      atOnce: 'BEGIN, UPDATE and COMMIT, sent at once',
    };
    for (const [name, baseline] of Object.entries(baselines)) {
      const values = results[name as keyof typeof baselines];
      figures.push(
        createFigure({
          bench: 'enqueue',
          what: `${what}, against ${name === 'update' ? 'a plain transaction' : 'one sent at once'}`,
          unit: 'ms',
          ours: results.ours,
          baseline: { what: baseline, values },
          goal: { of: 'ratio', bound: 'at most', value: isGrouped(callers, name) ? 1.2 : 2 },
        }),
      );
    }
  }
  await client.stop();
  return figures;
}
