import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { describe, expect, test } from 'vitest';
import { drawPlan } from './plan';
import { runScenario } from './run-scenario';

const seeds = Array.from({ length: 120 }, (_, index) => index + 1);

/** Returns the first violation over all seeds. */
async function findViolation(
  alterStore: (deliveries: DeliveryStore) => DeliveryStore,
): Promise<string | undefined> {
  for (const seed of seeds) {
    const [violation] = (await runScenario(seed, { alterStore })).violations;
    if (violation !== undefined) return violation;
  }
  return undefined;
}

describe('a simulated day of the engine', () => {
  test('keeps every invariant, whatever fails', async () => {
    let [attempts, delivered, failed, takeovers] = [0, 0, 0, 0];
    for (const seed of seeds) {
      const report = await runScenario(seed);
      const command = `node --import tsx packages/server/test/simulation/simulate.ts --seed ${seed}`;
      expect(report.violations, `print the complete trace with: ${command}`).toEqual([]);
      expect(report.elapsed).toBeGreaterThanOrEqual(25 * 3_600_000);
      attempts += report.attempts;
      delivered += report.delivered;
      failed += report.failed;
      takeovers += report.trace.filter((line) => line.endsWith('leases of dead workers')).length;
    }
    // Otherwise the invariants would not have been tested.
    expect(attempts).toBeGreaterThan(20 * seeds.length);
    expect(delivered).toBeGreaterThan(5 * seeds.length);
    expect(failed).toBeGreaterThan(seeds.length);
    expect(takeovers).toBeGreaterThan(seeds.length / 10);
  }, 180_000);

  test('covers every kind of plan', () => {
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

  test('is the same each time for the same seed, and different for another seed', async () => {
    for (const seed of [3, 24, 39]) {
      const [one, other] = [await runScenario(seed), await runScenario(seed)];
      expect(other.trace).toEqual(one.trace);
      expect(other.hash).toBe(one.hash);
      expect((await runScenario(seed + 1)).hash).not.toBe(one.hash);
    }
  }, 60_000);
});

describe('the simulation detects a store that', () => {
  test('forgets an outcome', async () => {
    const violation = await findViolation((deliveries) => ({
      ...deliveries,
      recordAttempts: async () => {},
    }));
    expect(violation).toBeDefined();
  }, 60_000);

  test('leases a leased delivery again', async () => {
    const violation = await findViolation((deliveries) => ({
      ...deliveries,
      leaseDue: async (request) => {
        const leased = await deliveries.leaseDue(request);
        return [...leased, ...leased];
      },
    }));
    expect(violation).toContain('is leased twice');
  }, 60_000);

  test('takes over the leases of living workers', async () => {
    const violation = await findViolation((deliveries) => {
      const registrations: Awaited<ReturnType<DeliveryStore['registerWorker']>>[] = [];
      return {
        ...deliveries,
        registerWorker: async () => {
          const registration = await deliveries.registerWorker();
          registrations.push(registration);
          return registration;
        },
        releaseDeadLeases: async (now) => {
          for (const { end } of registrations) await end(now);
          return 0;
        },
      };
    });
    expect(violation).toContain('is leased twice');
  }, 60_000);

  test('reports that nothing is due while something is', async () => {
    const violation = await findViolation((deliveries) => ({
      ...deliveries,
      nextDueAt: async () => null,
    }));
    expect(violation).toMatch(/late|pending/);
  }, 60_000);

  test('does not adjust leases when the clock is set back', async () => {
    const violation = await findViolation((deliveries) => ({
      ...deliveries,
      adjustToClock: async () => {},
    }));
    expect(violation).toMatch(/longer than a lease|late/);
  }, 60_000);

  test('does not adjust retries when the clock is set back', async () => {
    const violation = await findViolation((deliveries) => ({
      ...deliveries,
      adjustToClock: ({ now }) => deliveries.adjustToClock({ expected: now - 1, now }),
    }));
    expect(violation).toContain('late');
  }, 60_000);

  test('ignores the wait that a receiver requests', async () => {
    const violation = await findViolation((deliveries) => ({
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
    expect(violation).toContain('although its receiver requested a wait');
  }, 60_000);

  test('leases one delivery at a time', async () => {
    const violation = await findViolation((deliveries) => {
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
    expect(violation).toContain('late, although its receiver is healthy');
  }, 60_000);
});
