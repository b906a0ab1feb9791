import { parseArgs } from 'node:util';
import { ReusedDatabases, startPostgres } from '../helpers/postgres';
import { openPostgresDatabases } from './postgres-database';
import { type Report, runScenario } from './run-scenario';
import { openSqliteDatabase } from './sqlite-database';

/**
 * Simulates days of the engine, seed by seed:
 *
 *   node --import tsx packages/server/test/simulation/simulate.ts [--seeds 5000] [--from 1] [--seed 7] \
 *     [--database sqlite|postgres]
 *
 * `--seed` repeats one and prints its complete trace.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
  },
});

function printReport({ seed, violations, trace, hash }: Report, lines: number): void {
  for (const line of trace.slice(-lines)) console.log(line);
  for (const violation of violations) console.log(`VIOLATED ${violation}`);
  console.log(`seed ${seed}, trace ${hash.slice(0, 16)}`);
}

if (!['sqlite', 'postgres'].includes(values.database)) {
  console.error('--database must be sqlite or postgres.');
  process.exit(2);
}
const postgres = values.database === 'postgres' ? await startPostgres() : null;
const openDatabase =
  postgres === null ? openSqliteDatabase : openPostgresDatabases(new ReusedDatabases(postgres));

async function exit(code: number): Promise<never> {
  await postgres?.stop();
  process.exit(code);
}

if (values.seed !== undefined) {
  const report = await runScenario(Number(values.seed), { openDatabase });
  printReport(report, Number.POSITIVE_INFINITY);
  await exit(report.violations.length === 0 ? 0 : 1);
}

const [from, count] = [Number(values.from), Number(values.seeds)];
const progressInterval = postgres === null ? 500 : 10;
const startedAt = performance.now();
let [attempts, delivered, failed, elapsed] = [0, 0, 0, 0];
for (let seed = from; seed < from + count; seed += 1) {
  const report = await runScenario(seed, { openDatabase });
  attempts += report.attempts;
  delivered += report.delivered;
  failed += report.failed;
  elapsed += report.elapsed;
  if (report.violations.length > 0) {
    printReport(report, 60);
    console.log(`Print the complete trace with --seed ${seed} --database ${values.database}.`);
    await exit(1);
  }
  if (seed % progressInterval === 0) console.log(`seed ${seed}: no violations so far`);
}
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const days = Math.round(elapsed / 86_400_000);
console.log(
  `${count} seeds, ${days} days of the engine in ${seconds} s: ${attempts} attempts, ${delivered} delivered, ${failed} failed as expected. No violations.`,
);
await exit(0);
