import { median } from './quantiles';

/** The goal of a figure. Sources: issue 3, "Figures"; issues 4 and 5, "Proof and figures"; issue 14, fault 12; issue 17, "Figures"; issue 19, figures on PostgreSQL. */
export interface Goal {
  /** Whether it is set for our value or for its ratio to the baseline. */
  of: 'ours' | 'ratio';
  bound: 'at least' | 'at most';
  value: number;
}

/** The result of a measurement. */
export interface Figure {
  /** The bench it belongs to. */
  bench: string;
  /** What was measured, in words. */
  what: string;
  unit: '/s' | '/min' | 'ms' | 'µs' | 'MB' | 'bytes' | 'orders';
  /** The median of our rounds. */
  ours: number;
  /** What ours is compared with, and the median of its rounds; null when it stands alone. */
  baseline: { what: string; value: number } | null;
  /** The median, over the rounds, of ours divided by the baseline of the same round. */
  ratio: number | null;
  goal: Goal | null;
  /** Null when there is no goal. */
  met: boolean | null;
  /** Every round's values, in order. */
  rounds: { ours: readonly number[]; baseline: readonly number[] };
  /** What a reader has to know about it. */
  notes: readonly string[];
}

/** The input of a figure. */
export interface Measurement {
  bench: string;
  what: string;
  unit: Figure['unit'];
  /** A value for each round. */
  ours: readonly number[];
  /** What ours is compared with, and its value in each of the same rounds. */
  baseline?: { what: string; values: readonly number[] };
  goal?: Goal;
  notes?: readonly string[];
}

function isMet({ bound, value }: Goal, reached: number | null): boolean {
  if (reached === null) return false;
  return bound === 'at least' ? reached >= value : reached <= value;
}

/** The median, over the rounds, of a value divided by the baseline of the same round. */
export function medianRatio(values: readonly number[], baseline: readonly number[]): number {
  return median(baseline.map((value, round) => (values[round] ?? Number.NaN) / value));
}

/** Creates a figure from the values of the rounds: medians, the ratio, and whether the goal is met. */
export function createFigure({ ours, baseline, goal, notes = [], ...about }: Measurement): Figure {
  const middle = median(ours);
  const ratio = baseline ? medianRatio(ours, baseline.values) : null;
  return {
    ...about,
    ours: middle,
    baseline: baseline ? { what: baseline.what, value: median(baseline.values) } : null,
    ratio,
    goal: goal ?? null,
    met: goal ? isMet(goal, goal.of === 'ours' ? middle : ratio) : null,
    rounds: { ours, baseline: baseline?.values ?? [] },
    notes,
  };
}
