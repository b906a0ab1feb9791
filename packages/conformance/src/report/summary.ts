import type { CheckResult, Report, Verdict } from './report';
import { levels, verdicts, verdictTexts } from './report';

/** The checks of one verdict, with its texts. */
export type Section = ReturnType<typeof listSections>[number];

/** The checks by verdict, the most important first, without the verdicts that no check has. */
export const listSections = (all: readonly CheckResult[]) =>
  verdicts
    .map((verdict) => ({
      ...{ verdict, ...verdictTexts[verdict] },
      checks: all.filter((check) => check.verdict === verdict),
    }))
    .filter(({ checks }) => checks.length > 0);

export type LevelResult = ReturnType<typeof levelResults>[number];

/** Returns what became of each level, also of one without a check. */
export const levelResults = ({ checks, mode, interrupted }: Report) =>
  levels.map((level) => {
    const own = checks.filter((check) => check.level === level);
    const count = (verdict: Verdict) => own.filter((check) => check.verdict === verdict).length;
    // Those with a result of their own: failed, passed, waived or advice.
    const judged = own.filter(({ verdict }) => verdictTexts[verdict].outcome !== 'skip').length;
    const missing = own.length - judged - count('n/a');
    const state = () => {
      if (count('fail') > 0) return 'failed';
      if (judged === 0) return missing === 0 && own.length > 0 ? 'not applicable' : 'not run';
      // Nothing failed, but the run was quick, or checks were not judged that apply to the service.
      return mode === 'quick' || interrupted !== null || missing > 0 ? 'in part' : 'passed';
    };
    return { level, checks: own, count, judged, state: state() };
  });

/** `failed (quick run): 96 of 99 checks judged; 2 failed, 3 not run, 94 passed`. */
export function formatLevel({ state, checks, judged }: LevelResult, { mode }: Report): string {
  if (checks.length === 0) return 'not run';
  const quick = mode === 'quick' && judged > 0 ? ' (quick run)' : '';
  const counts = listSections(checks).map((section) => `${section.checks.length} ${section.label}`);
  return `${state}${quick}: ${judged} of ${checks.length} checks judged; ${counts.join(', ')}`;
}

/** The conclusion, and why the run was interrupted if it was. */
export const formatConclusion = ({ interrupted, conclusion }: Report): string =>
  interrupted === null ? conclusion : `${conclusion} Interrupted: ${interrupted}`;

/**
 * Returns why a run did not succeed although no check failed, such as when it was interrupted; null if a check failed or it succeeded.
 * Formats that know only tests have a test for it: they must not be green when the exit code is not 0.
 */
export function runFailure(report: Report): string | null {
  const hasFailed = report.checks.some(({ verdict }) => verdict === 'fail');
  return report.exitCode === 0 || hasFailed ? null : formatConclusion(report);
}

/** Returns how long the run took, in milliseconds. */
export const measureRun = ({ startedAt, finishedAt }: Report): number =>
  Date.parse(finishedAt) - Date.parse(startedAt);

/** Returns `AUTH` of `AUTH-1`. */
export const readFamily = (id: string): string => id.replace(/-\d.*$/s, '');

/** Groups checks by a text, in the order in which the texts appear first. */
export function groupBy(
  checks: readonly CheckResult[],
  toKey: (check: CheckResult) => string,
): [string, CheckResult[]][] {
  const groups = new Map<string, CheckResult[]>();
  for (const check of checks) {
    const key = toKey(check);
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  return [...groups];
}

/** Returns what was observed, the check that blocks this one, and the reason of the waiver, as far as there are such. */
export function explainVerdict({ verdict, reason, blockedBy, waiver }: CheckResult): string {
  const blocker = blockedBy && `Blocked by ${blockedBy}.`;
  const parts = [blocker, reason, waiver && `Waiver: ${waiver}`];
  return parts.filter(Boolean).join(' ') || verdictTexts[verdict].meaning;
}
