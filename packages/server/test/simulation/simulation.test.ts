import { describe, expect, test } from 'vitest';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { liveThrough } from './live-through';
import { drawPlan } from './plan';

const seeds = Array.from({ length: 120 }, (_, index) => index + 1);

/** The first promise that some seed breaks. */
async function firstBroken(
  tamper: (deliveries: DeliveryStore) => DeliveryStore,
): Promise<string | undefined> {
  for (const seed of seeds) {
    const [broken] = (await liveThrough(seed, tamper)).broken;
    if (broken !== undefined) return broken;
  }
  return undefined;
}

describe('a day of the engine, lived through in a moment', () => {
  test('keeps every promise, whatever goes wrong', async () => {
    let [attempts, delivered, failed] = [0, 0, 0];
    for (const seed of seeds) {
      const report = await liveThrough(seed);
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

  test('has days of every kind', () => {
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
      const [one, other] = [await liveThrough(seed), await liveThrough(seed)];
      expect(other.trace).toEqual(one.trace);
      expect(other.hash).toBe(one.hash);
      expect((await liveThrough(seed + 1)).hash).not.toBe(one.hash);
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

  test('hands out what somebody has', async () => {
    const broken = await firstBroken((deliveries) => ({
      ...deliveries,
      claimDue: async (request) => {
        const claimed = await deliveries.claimDue(request);
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

  test('does not know what a receiver asks for', async () => {
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

  test('hands out one delivery at a time', async () => {
    const broken = await firstBroken((deliveries) => {
      let last = Number.NEGATIVE_INFINITY;
      return {
        ...deliveries,
        claimDue: async (request) => {
          if (request.now < last + 3_000) return [];
          last = request.now;
          return deliveries.claimDue({ ...request, limit: 1 });
        },
      };
    });
    expect(broken).toContain('late, though its receiver is healthy');
  }, 60_000);
});
