import type { BenchContext } from './bench-context';
import { startBenchProcess, startForOther } from './bench-process';
import { compareCheckouts, createCheckouts, measureCheckouts } from './checkouts';
import { createFigure, type Figure, type Goal } from './figure';
import type { RecordingOperations } from './recording-process';

const sizes = {
  usual: { rounds: 21, attempts: 4_000 },
  quick: { rounds: 1, attempts: 100 },
};
const manyEndpoints = 10;
/** What recording may cost more than in the other checkout, such as one without statistics. */
const goal: Goal = { of: 'ratio', bound: 'at most', value: 1.03 };

/**
 * Measures what it costs to record an attempt of a delivery that was leased, with everything that belongs to it: its delivery, its
 * queue and the statistics of its webhook. The other checkout is the baseline.
 */
export async function recording(context: BenchContext): Promise<Figure[]> {
  const { environment, otherCheckout, quick, log } = context;
  const { rounds, attempts } = quick ? sizes.quick : sizes.usual;
  const urls = Array.from({ length: manyEndpoints }, (_, at) => `http://127.0.0.1:9/${at}`);
  const backlog = attempts + 100;
  const checkouts = await createCheckouts(context, {
    one: [{ urls: urls.slice(0, 1), backlog, orders: 0 }],
    many: [{ urls, backlog, orders: 0 }],
  });
  const program = new URL('./recording-process.ts', import.meta.url);
  const ours = startBenchProcess<RecordingOperations>(environment, program);
  const other =
    otherCheckout === null
      ? null
      : await startForOther<RecordingOperations>(environment, program, otherCheckout);
  const figures: Figure[] = [];
  for (const to of ['one', 'many'] as const) {
    for (const isDurable of [true, false]) {
      const endpoints = to === 'one' ? '1 endpoint' : `${manyEndpoints} endpoints`;
      const what = `${isDurable ? 'time' : 'processor time'} of recording an attempt, of ${endpoints}`;
      const results = await measureCheckouts(
        checkouts,
        rounds,
        ({ bin, databases }) =>
          databases[to].use((file) =>
            ((bin === undefined ? ours : other) ?? ours).call('record', {
              file,
              attempts,
              isDurable,
            }),
          ),
        log,
        what,
      );
      figures.push(
        createFigure({
          bench: 'recording',
          what,
          unit: 'µs',
          ...compareCheckouts(results, (microseconds) => microseconds),
          // What a server's deliveries wait for.
          ...(otherCheckout !== null && isDurable && { goal }),
        }),
      );
    }
  }
  await Promise.all([ours.stop(), other?.stop()]);
  return figures;
}
