import { describe, expect, test } from 'vitest';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { drawPlan } from './plan';
import { runScenario } from './run-scenario';

const seeds = Array.from({ length: 120 }, (_, index) => index + 1);

/** The first promise that some seed breaks. */
async function firstBroken(
  tamper: (deliveries: DeliveryStore) => DeliveryStore,
): Promise<string | undefined> {
  for (const seed of seeds) {
    const [broken] = (await runScenario(seed, tamper)).broken;
    if (broken !== undefined) return broken;
  }
  return undefined;
}

describe('a simulated day of the engine', () => {
  test('keeps every invariant, whatever goes wrong', async () => {
    let [attempts, delivered, failed] = [0, 0, 0];
    for (const seed of seeds) {
      const report = await runScenario(seed);
      const again = `node --import tsx packages/server/test/simulation/simulate.ts --seed ${seed}`;
      expect(report.broken, `see it all with: ${again}`).toEqual([]);
      expect(report.elapsed).toBeGreaterThanOrEqual(25 * 3_600_000);
      attempts += report.attempts;
      delivered += report.delivered;
      failed += report.failed;
    }
    // Else there was nothing to keep promises about.
    expect(attempts).toBeGreaterThan(20 * seeds.length);
    expect(delivered).toBeGreaterThan(5 * seeds.length);
    expect(failed).toBeGreaterThan(seeds.length);
  }, 180_000);

  test('has days of every type', () => {
    const plans = seeds.map(drawPlan);
    const kinds = new Set(plans.flatMap(({ endpoints }) => endpoints.map(({ kind }) => kind)));
    expect(kinds.size).toBe(8);
    for (const happens of [
      ({ crashes }) => crashes.length > 0,
      ({ stops }) => stops.length > 0,
      ({ clockChanges }) => clockChanges.some(({ by }) => by < 0),
      ({ clockChanges }) => clockChanges.some(({ by }) => by > 0),
      ({ shortages }) => shortages.length > 0,
      ({ faults }) => faults.length > 0,
      ({ workers }) => workers > 1,
      ({ crashes, faults }) => crashes.length + faults.length === 0,
    ] satisfies ((plan: (typeof plans)[number]) => boolean)[]) {
      expect(plans.filter(happens).length).toBeGreaterThan(seeds.length / 10);
    }
  });

  test('is the same day each time for the same seed, and another one for another seed', async () => {
    for (const seed of [3, 24, 39]) {
      const [one, other] = [await runScenario(seed), await runScenario(seed)];
      expect(other.trace).toEqual(one.trace);
      expect(other.hash).toBe(one.hash);
      expect((await runScenario(seed + 1)).hash).not.toBe(one.hash);
    }
  }, 60_000);
});

describe('a promise that is broken is noticed, such as by a store that', () => {
  test('forgets an outcome', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      recordAttempts: async () => {},
    }));
    expect(broken).toBeDefined();
  }, 60_000);

  test('leases a leased delivery again', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      leaseDue: async (request) => {
        const claimed = await deliveries.leaseDue(request);
        return [...claimed, ...claimed];
      },
    }));
    expect(broken).toContain('is in two hands');
  }, 60_000);

  test('says that nothing is due while something is', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      nextDueAt: async () => null,
    }));
    expect(broken).toMatch(/late|pending/);
  }, 60_000);

  test('leaves leases as they are when the clock is set back', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      adjustToClock: async () => {},
    }));
    expect(broken).toMatch(/longer than a lease|late/);
  }, 60_000);

  test('leaves retries as they are when the clock is set back', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      adjustToClock: ({ now }) => deliveries.adjustToClock({ expected: now - 1, now }),
    }));
    expect(broken).toContain('late');
  }, 60_000);

  test('ignores the wait that a receiver requests', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      recordAttempts: (outcomes, now) =>
        deliveries.recordAttempts(
          outcomes.map(({ attempt, ...outcome }) => ({
            ...outcome,
            attempt: attempt && { ...attempt, retryAfter: null },
          })),
          now,
        ),
    }));
    expect(broken).toContain('though its receiver asked for time');
  }, 60_000);

  test('leases one delivery at a time', async () => {
    const broken = await firstBroken((deliveries) => {
      let last = Number.NEGATIVE_INFINITY;
      return {
        ...deliveries,
        leaseDue: async (request) => {
          if (request.now < last + 3_000) return [];
          last = request.now;
          return deliveries.leaseDue({ ...request, limit: 1 });
        },
      };
    });
    expect(broken).toContain('late, though its receiver is healthy');
  }, 60_000);
});
