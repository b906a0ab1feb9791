import { describe, expect, it } from 'vitest';
import { createFigure, type Goal } from './figure';
import { findBest, median, quantile } from './quantiles';
import { interleave } from './rounds';

const about = { bench: 'speed', what: 'orders', unit: '/s' } as const;
const half: Goal = { of: 'ratio', bound: 'at least', value: 0.5 };

describe('a figure', () => {
  it('has the median of the ratios of each round, not the ratio of the medians', () => {
    const baseline = { what: 'a loop', values: [100, 10, 100] };
    const figure = createFigure({ ...about, ours: [50, 10, 90], baseline });
    expect(figure).toMatchObject({ ours: 50, baseline: { value: 100 }, ratio: 0.9, met: null });
  });

  it('meets its goal at the bound and misses it beyond', () => {
    const met = (ours: number, goal: Goal) =>
      createFigure({ ...about, ours: [ours], baseline: { what: 'a loop', values: [100] }, goal })
        .met;
    expect([met(50, half), met(49, half)]).toEqual([true, false]);
    const atMost: Goal = { of: 'ours', bound: 'at most', value: 15 };
    expect([met(15, atMost), met(16, atMost)]).toEqual([true, false]);
  });

  it('misses its goal if that is a ratio and there is no baseline', () => {
    expect(createFigure({ ...about, ours: [1], goal: half }).met).toBe(false);
  });
});

describe('quantiles', () => {
  it('are measured values, by the nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([0, 0.5, 0.99, 1].map((share) => quantile(values, share))).toEqual([1, 100, 198, 200]);
  });

  it('have a median for odd and even numbers of values', () => {
    expect([median([3]), median([9, 1, 5]), median([4, 1, 3, 2])]).toEqual([3, 5, 2.5]);
  });

  it('throw without values', () => {
    expect(() => quantile([], 0.5)).toThrow('Nothing was measured');
    expect(() => median([])).toThrow('Nothing was measured');
  });
});

describe('findBest', () => {
  const steady = { name: 'steady', values: [5, 5, 5] };
  const varying = { name: 'varying', values: [1, 6, 9] };

  it('compares medians, not best rounds', () => {
    expect(findBest([steady, varying], 'highest')).toBe(varying);
    expect(findBest([steady, varying], 'lowest')).toBe(steady);
  });

  it('throws if nothing was measured', () => {
    expect(() => findBest([], 'highest')).toThrow('Nothing was measured');
  });
});

describe('rounds', () => {
  it('run the sides in turn, and in reverse order every other round', async () => {
    const ran: string[] = [];
    const side = (name: string) => async () => ran.push(name);
    const logged: string[] = [];
    const sides = { ours: side('ours'), bare: side('bare') };
    const results = await interleave(3, sides, (text) => logged.push(text), 'speed');
    expect(ran).toEqual(['ours', 'bare', 'bare', 'ours', 'ours', 'bare']);
    expect(results).toEqual({ ours: [1, 4, 5], bare: [2, 3, 6] });
    expect(logged).toEqual([1, 2, 3].map((round) => `speed: round ${round} of 3`));
  });
});
