import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { formatSimulation, simulateDeliveries } from '../../../src/testing/index';
import { mistakes, withParts } from './mistakes';

describe('simulateDeliveries', () => {
  test.each(mistakes)('finds that a receiver $title', async ({ found, options }) => {
    const result = await simulateDeliveries(options);
    const { counterexample } = result;
    expect(`${counterexample?.invariant} ${counterexample?.cause}`, formatSimulation(result)).toBe(
      found,
    );
    const plan = counterexample?.plan;
    expect(plan?.events.length).toBeLessThanOrEqual(2);
    // The plan alone shows the same again, line by line.
    const again = await simulateDeliveries({ ...options, plan });
    expect(again.counterexample).toEqual(counterexample);
  });

  test.each([2, 4])('finds each mistake with the seed %i too', async (seed) => {
    for (const { title, found, options } of mistakes) {
      const { counterexample } = await simulateDeliveries({ ...options, seed });
      expect(`${counterexample?.invariant} ${counterexample?.cause}`, title).toBe(found);
    }
  });

  test.each([1, 2, 3])('finds nothing in a receiver without a mistake, seed %i', async (seed) => {
    const result = await simulateDeliveries({ ...withParts(), seed });
    expect(result.ok, formatSimulation(result)).toBe(true);
    expect(result.judged).toHaveLength(9);
    expect(result.crashes).toBeGreaterThan(0);
  });

  test('gives the same result in a runtime without setImmediate', async () => {
    const expected = await simulateDeliveries({ ...withParts(), runs: 5 });
    vi.resetModules();
    vi.stubGlobal('setImmediate', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const another = await import('../../../src/testing/index');
    expect(another.simulateDeliveries).not.toBe(simulateDeliveries);
    expect(await another.simulateDeliveries({ ...withParts(), runs: 5 })).toEqual(expected);
  });

  test.each(['snapshot', 'stop'])('is inconclusive if %s never ends', async (name) => {
    const hang = () => new Promise<never>(() => undefined);
    const { start, ...options } = withParts();
    const result = await simulateDeliveries({
      ...options,
      start: async (environment) => ({ ...(await start(environment)), [name]: hang }),
      ...(name === 'snapshot' && { snapshot: hang }),
    });
    expect(result).toMatchObject({ ok: false, counterexample: null });
    expect(result.inconclusive).toMatch(new RegExp(`^${name} did not end in 2 s\\. `));
  });

  test('is inconclusive if a receiver waits for something else', async () => {
    const receive = () => new Promise<Response>(() => undefined);
    const result = await simulateDeliveries({ start: () => ({ receive }) });
    expect(result).toMatchObject({ ok: false, counterexample: null });
    expect(result.inconclusive).toMatch(
      /^the receiver did nothing for 2 s: it never responds, or waits/,
    );
  });
});
