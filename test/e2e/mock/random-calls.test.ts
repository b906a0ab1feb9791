import fc from 'fast-check';
import { test } from 'vitest';
import { anyCall } from './any-call';
import { Comparison } from './compare-services';
import { accountNames, startTwoServices } from './two-services';

/** One call of an account, after some milliseconds. */
const step = fc.record({
  account: fc.constantFrom(...accountNames),
  passed: fc.constantFrom(0, 0, 1, 200),
  call: anyCall,
});

// A failure prints its seed and path: pass both to `fc.assert` to repeat it.
test('both services respond in the same way to any sequence of calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const services = await startTwoServices();
      try {
        const comparison = new Comparison(services);
        await comparison.compareAll('buyer');
        for (const { account, passed, call } of steps) {
          services.advance(passed);
          await comparison.call(account, call);
        }
        for (const account of accountNames) await comparison.compareAll(account);
      } finally {
        await services.close();
      }
    }),
    { numRuns: 25 },
  );
}, 120_000);
