import type { RuleGroup } from './data-rules';

/** How many rows a problem names at most. */
export const maxExamples = 5;

/** A problem in the data. */
export interface DataProblem {
  /** What is wrong; follows the number of rows in a sentence. */
  problem: string;
  /** How many rows have it. */
  count: number;
  /** Some of them. */
  examples: string[];
}

/** The result of one check. */
export interface CheckResult {
  name: string;
  /** What holds if there is no problem. */
  description: string;
  /** `skipped` if it needs the current schema, or if the database cannot be read at all. */
  result: 'ok' | 'problem' | 'skipped';
  problems: DataProblem[];
}

/** The results of all checks, of one state of the database. */
export interface CheckReport {
  /** Null if the database cannot be read at all. */
  schemaVersion: number | null;
  checks: CheckResult[];
}

/** Returns the result of a check that ran. */
export function toResult(
  { name, description }: Pick<RuleGroup, 'name' | 'description'>,
  problems: DataProblem[],
): CheckResult {
  return { name, description, result: problems.length === 0 ? 'ok' : 'problem', problems };
}

/** Returns the result of a check that did not run. */
export function toSkipped({
  name,
  description,
}: Pick<RuleGroup, 'name' | 'description'>): CheckResult {
  return { name, description, result: 'skipped', problems: [] };
}

/** Returns the result of the check of the database itself. */
export function toIntegrityResult(
  description: string,
  problem: string,
  faults: string[],
): CheckResult {
  const found = { problem, count: faults.length, examples: faults.slice(0, maxExamples) };
  return toResult({ name: 'integrity', description }, faults.length === 0 ? [] : [found]);
}
