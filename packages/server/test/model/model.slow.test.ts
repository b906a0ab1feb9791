import fc from 'fast-check';
import { test } from 'vitest';
import { behavesLikeTheModel, modelParameters } from './property';
import { openStoreSystem } from './store-system';

// A failure prints its seed: repeat it with `npm run model -- --system store --seed SEED`.
test('the store behaves like the model', async () => {
  const property = behavesLikeTheModel((now) => openStoreSystem(now));
  await fc.assert(property, { ...modelParameters, numRuns: 20, interruptAfterTimeLimit: 90_000 });
}, 150_000);
