import fc from 'fast-check';
import { test } from 'vitest';
import { behavesLikeTheModel, modelParameters } from '../../../packages/server/test/model/property';
import { startHttpSystem } from './http-system';

// A failure prints its seed: repeat it with `npm run model -- --system http --seed SEED`.
test('the server behaves like the model', async () => {
  const property = behavesLikeTheModel(startHttpSystem);
  await fc.assert(property, { ...modelParameters, numRuns: 4, interruptAfterTimeLimit: 90_000 });
}, 150_000);
