import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { ReusedDatabases, startPostgres } from '../helpers/postgres';
import { behavesLikeTheModel, modelParameters } from './property';
import { openStoreSystem } from './store-system';
import { startOnDatabases } from './system';

const postgres = await startPostgres();
afterAll(postgres.stop);

// A failure prints its seed: repeat it with `npm run model -- --system store --database postgres --seed SEED`.
test('the PostgreSQL store behaves like the model', async () => {
  const start = startOnDatabases(new ReusedDatabases(postgres), openStoreSystem);
  const parameters = { ...modelParameters, numRuns: 9, interruptAfterTimeLimit: 90_000 };
  await fc.assert(behavesLikeTheModel(start), parameters);
}, 150_000);
