import { describe, expect, test } from 'vitest';
import type { SimulationPlan } from '../../../src/testing/index';
import { shrinkPlan } from '../../../src/testing/simulation/shrink';

/** A plan of so many events, each with a fault. */
const aPlan = (count: number): SimulationPlan => ({
  instances: 2,
  events: Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    type: 'order.created',
    order: index + 1,
    version: 1,
    at: index,
    attempts: [{ lose: 'response' }],
  })),
});

/** Shrinks a plan that fails as long as it has all of some events. */
async function shrink(plan: SimulationPlan, ids: readonly number[]) {
  let runs = 0;
  const shrunk = await shrinkPlan(plan, async ({ events }) => {
    runs += 1;
    return ids.every((id) => events.some((event) => event.id === id));
  });
  return { ...shrunk, runs };
}

describe('shrinkPlan', () => {
  test('goes on where it was after a simpler plan, so a large one needs few runs', async () => {
    const ids = [3, 50, 51, 200, 299];
    const { plan, isSimplest, runs } = await shrink(aPlan(300), ids);
    const events = ids.map((id) => ({ id, type: 'order.created', order: id, version: 1, at: 0 }));
    expect(plan).toEqual({ instances: 1, events });
    expect(isSimplest).toBe(true);
    expect(runs).toBeLessThan(250);
  });

  test('says that it ended before nothing simpler was left', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => 2 * index + 1);
    const { plan, isSimplest, runs } = await shrink(aPlan(300), ids);
    expect(isSimplest).toBe(false);
    expect(runs).toBe(400);
    expect(plan.events.length).toBeGreaterThanOrEqual(150);
  });
});
