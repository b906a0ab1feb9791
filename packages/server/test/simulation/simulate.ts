import { parseArgs } from 'node:util';
import { type Report, runScenario } from './run-scenario';

/**
 * Lives through days of the engine, seed by seed:
 *
 *   node --import tsx packages/server/test/simulation/simulate.ts [--seeds 5000] [--from 1] [--seed 7]
 *
 * `--seed` lives through one again and tells its whole story.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
});

function tell({ seed, broken, trace, hash }: Report, lines: number): void {
  for (const line of trace.slice(-lines)) console.log(line);
  for (const promise of broken) console.log(`BROKEN ${promise}`);
  console.log(`seed ${seed}, story ${hash.slice(0, 16)}`);
}

if (values.seed !== undefined) {
  const report = await runScenario(Number(values.seed));
  tell(report, Number.POSITIVE_INFINITY);
  process.exit(report.broken.length === 0 ? 0 : 1);
}

const [from, count] = [Number(values.from), Number(values.seeds)];
const began = performance.now();
let [attempts, delivered, failed, elapsed] = [0, 0, 0, 0];
for (let seed = from; seed < from + count; seed += 1) {
  const report = await runScenario(seed);
  attempts += report.attempts;
  delivered += report.delivered;
  failed += report.failed;
  elapsed += report.elapsed;
  if (report.broken.length > 0) {
    tell(report, 60);
    console.log(`See it all with --seed ${seed}.`);
    process.exit(1);
  }
  if (seed % 500 === 0) console.log(`seed ${seed}: all promises kept so far`);
}
const seconds = Math.round((performance.now() - began) / 1_000);
const days = Math.round(elapsed / 86_400_000);
console.log(
  `${count} seeds, ${days} days of the engine in ${seconds} s: ${attempts} attempts, ${delivered} delivered, ${failed} failed as they had to. All promises kept.`,
);
