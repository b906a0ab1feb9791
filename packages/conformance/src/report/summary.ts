import {
  type CheckResult,
  type Level,
  levels,
  type Report,
  type Verdict,
  verdicts,
} from './report';

/** The texts of a verdict in all formats. */
interface VerdictText {
  /** After a count: "3 failed". */
  label: string;
  /** For formats that know only tests; `note` passes, with a note. A skipped check has no evidence. */
  outcome: 'fail' | 'pass' | 'note' | 'skip';
  color: 'red' | 'green' | 'yellow' | 'dim';
  meaning: string;
}

function say(
  label: string,
  outcome: VerdictText['outcome'],
  color: VerdictText['color'],
  meaning: string,
): VerdictText {
  return { label, outcome, color, meaning };
}

export const verdictTexts: Record<Verdict, VerdictText> = {
  fail: say('failed', 'fail', 'red', 'The service differs from its API specification.'),
  blocked: say('blocked', 'skip', 'yellow', 'Not judged: another check prevents it.'),
  inconclusive: say('inconclusive', 'skip', 'yellow', 'Not judged: too little was observed.'),
  advice: say('advice', 'note', 'yellow', 'Worth a look. Advice never fails a run.'),
  waived: say('waived', 'note', 'yellow', 'Failed, and the profile says why that is accepted.'),
  'not run': say('not run', 'skip', 'yellow', 'Left out by the options, or not reached.'),
  'n/a': say('not applicable', 'skip', 'dim', 'Not offered by the service, or not declared.'),
  pass: say('passed', 'pass', 'green', 'The service does what its API specification says.'),
};

/** The checks by verdict, the most important first, without the verdicts that no check has. */
export function byVerdict(checks: readonly CheckResult[]): [Verdict, CheckResult[]][] {
  return verdicts
    .map((verdict): [Verdict, CheckResult[]] => [
      verdict,
      checks.filter((check) => check.verdict === verdict),
    ])
    .filter(([, own]) => own.length > 0);
}

export interface LevelResult {
  level: Level;
  counts: Partial<Record<Verdict, number>>;
  /** How many checks have a result of their own: failed, passed, waived or advice. */
  judged: number;
  total: number;
  /** `in part`: nothing failed, but the run was quick, or checks were not judged that apply to the service. */
  state: 'not run' | 'not applicable' | 'failed' | 'in part' | 'passed';
}

/** Returns what became of each level, also of one without a check. */
export function levelResults({ checks, mode, interrupted }: Report): LevelResult[] {
  return levels.map((level) => {
    const own = checks.filter((check) => check.level === level);
    const counts = Object.fromEntries(
      byVerdict(own).map(([verdict, { length }]) => [verdict, length]),
    ) as LevelResult['counts'];
    const judged = own.filter(({ verdict }) => verdictTexts[verdict].outcome !== 'skip').length;
    const missing = own.length - judged - (counts['n/a'] ?? 0);
    const state = () => {
      if (counts.fail !== undefined) return 'failed';
      if (judged === 0) return missing === 0 && own.length > 0 ? 'not applicable' : 'not run';
      return mode === 'quick' || interrupted !== null || missing > 0 ? 'in part' : 'passed';
    };
    return { level, counts, judged, total: own.length, state: state() };
  });
}

/** `failed (quick run): 96 of 99 checks judged; 2 failed, 3 not run, 94 passed`. */
export function formatLevel(result: LevelResult, { mode }: Report): string {
  const { state, counts, judged, total } = result;
  if (total === 0) return 'not run';
  const quick = mode === 'quick' && judged > 0 ? ' (quick run)' : '';
  const parts = Object.entries(counts) as [Verdict, number][];
  const texts = parts.map(([verdict, count]) => `${count} ${verdictTexts[verdict].label}`);
  return `${state}${quick}: ${judged} of ${total} checks judged; ${texts.join(', ')}`;
}

/** The conclusion, and why the run was interrupted if it was. */
export function formatConclusion({ interrupted, conclusion }: Report): string {
  return interrupted === null ? conclusion : `${conclusion} Interrupted: ${interrupted}`;
}

/**
 * Returns why a run did not succeed although no check failed, such as when it was interrupted; null if a check failed or it succeeded.
 * Formats that know only tests have a test for it: they must not be green when the exit code is not 0.
 */
export function runFailure(report: Report): string | null {
  const hasFailed = report.checks.some(({ verdict }) => verdict === 'fail');
  return report.exitCode === 0 || hasFailed ? null : formatConclusion(report);
}

/** Returns how long the run took, in milliseconds. */
export function measureRun({ startedAt, finishedAt }: Report): number {
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

/** Returns `AUTH` of `AUTH-1`. */
export function readFamily(id: string): string {
  return id.replace(/-\d.*$/s, '');
}

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
  const parts = [
    blockedBy && `Blocked by ${blockedBy}.`,
    reason,
    waiver && `Waiver: ${waiver}`,
  ].filter(Boolean);
  return parts.join(' ') || verdictTexts[verdict].meaning;
}
