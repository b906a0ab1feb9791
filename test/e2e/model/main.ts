import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { ReusedDatabases, startPostgres } from '../../../packages/server/test/helpers/postgres';
import { behavesLikeTheModel, modelParameters } from '../../../packages/server/test/model/property';
import { openStoreSystem } from '../../../packages/server/test/model/store-system';
import { startOnDatabases } from '../../../packages/server/test/model/system';
import { startHttpSystem } from './http-system';

/**
 * Compares the service with the model, seed by seed, until the time is over or a run differs:
 *
 *   node --import tsx test/e2e/model/main.ts [--system store|http] [--database sqlite|memory|postgres] [--minutes 10] [--seed 7]
 *
 * `--seed` repeats one, such as that of a test that failed.
 */
const { values } = parseArgs({
  options: {
    system: { type: 'string', default: 'http' },
    database: { type: 'string', default: 'sqlite' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
  },
});

const systems = { store: openStoreSystem, http: startHttpSystem };
const startSystem = systems[values.system as keyof typeof systems];
const databases =
  values.system === 'store' ? ['sqlite', 'memory', 'postgres'] : ['sqlite', 'postgres'];
const isDatabase = databases.includes(values.database);
const numbers = [values.minutes, values.seed ?? '0'].map(Number);
if (
  startSystem === undefined ||
  !isDatabase ||
  numbers.some((number) => !Number.isFinite(number))
) {
  console.error(
    '--system must be store or http, --database sqlite, memory or postgres (memory only for store); --minutes and --seed must be numbers.',
  );
  process.exit(2);
}
const postgres = values.database === 'postgres' ? await startPostgres() : null;
const start =
  postgres === null
    ? (now: number) => startSystem(now, values.database === 'memory' ? 'memory' : undefined)
    : startOnDatabases(new ReusedDatabases(postgres), startSystem);

/** At least as many as in a test, so that its seed fails here too. */
const runsOfSeed = 25;
const startedAt = performance.now();
const minutes = () => (performance.now() - startedAt) / 60_000;
let seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
let runs = 0;
do {
  const report = await fc.check(behavesLikeTheModel(start), {
    ...modelParameters,
    numRuns: runsOfSeed,
    seed,
  });
  runs += report.numRuns;
  if (report.failed) {
    console.log(await fc.asyncDefaultReportMessage(report));
    console.log(String(report.errorInstance));
    const options = `--system ${values.system} --database ${values.database} --seed ${seed}`;
    console.log(`After ${runs} runs. Repeat it with ${options}.`);
    await postgres?.stop();
    process.exit(1);
  }
  seed += 1;
} while (values.seed === undefined && minutes() < Number(values.minutes));
console.log(`${runs} runs up to seed ${seed - 1} in ${minutes().toFixed(1)} min: no difference.`);
await postgres?.stop();
