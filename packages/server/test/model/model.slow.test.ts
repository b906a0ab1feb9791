import fc from 'fast-check';
import { test } from 'vitest';
import { behavesLikeTheModel, modelParameters } from './property';
import { openStoreSystem } from './store-system';

// A failure prints its seed: repeat it with `npm run model -- --system store --database memory --seed SEED`, or `sqlite`.
test.each([
  ['SQLite', ':memory:', 14],
  ['memory', 'memory', 6],
])(
  'the store in %s behaves like the model',
  async (_name, database, numRuns) => {
    const property = behavesLikeTheModel((now) => openStoreSystem(now, database));
    await fc.assert(property, { ...modelParameters, numRuns, interruptAfterTimeLimit: 90_000 });
  },
  150_000,
);
