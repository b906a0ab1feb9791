import type { Check, Judgement } from '../checks/check';
import type { Profile } from '../profile/profile';
import type { CheckDescription, CheckResult, Report, Verdict } from '../report/report';
import { isAccepted, outcome } from '../service/call';
import type { Explain } from './evidence';
import type { Facts } from './facts';
import type { Redactor } from './redact';

/** Which checks are judged, and what else counts. */
export interface Selection {
  /** IDs; all if empty. A family such as `SIG` selects its checks. */
  only?: readonly string[] | undefined;
  skip?: readonly string[] | undefined;
  allowInconclusive?: boolean | undefined;
  /** Whether advice fails too. */
  strict?: boolean | undefined;
}

export const describe = ({ level = 'core', ...check }: Check): CheckDescription => ({
  ...{ id: check.id, level, class: check.class, title: check.title, method: check.method },
  source: check.source && { section: check.source[0], sentence: check.source[1] },
});

const matches = (id: string, names: readonly string[]) =>
  names.some((name) => id === name.toUpperCase() || id.startsWith(`${name.toUpperCase()}-`));

export const isSelected = (id: string, { only = [], skip = [] }: Selection): boolean =>
  (only.length === 0 || matches(id, only)) && !matches(id, skip);

/** Judges the facts of a run with every check. */
export function judge(
  checks: readonly Check[],
  facts: Facts,
  selection: Selection,
  explain: Explain,
  redactor: Redactor,
): CheckResult[] {
  const results = new Map<string, CheckResult>();
  /** The first of some checks that has one of some verdicts. */
  const findResult = (ids: readonly string[] | undefined, ...verdicts: Verdict[]) =>
    checks
      .filter(({ id }) => ids?.includes(id))
      .map(judgeOne)
      .find(({ verdict }) => verdicts.includes(verdict));

  const rejected = facts.webhooks.filter(({ call }) => !isAccepted(call));
  const refused = rejected[0]
    ? `The service rejected ${rejected.length} of ${facts.webhooks.length} webhooks (${outcome(rejected[0].call)}).`
    : null;

  function judgeOne(check: Check): CheckResult {
    const known = results.get(check.id);
    if (known) return known;
    const result = { ...describe(check), ...judgeCheck(check, facts, explain, redactor) };
    results.set(check.id, result);
    const isNothing = result.reason === nothing;
    const blocker =
      result.verdict === 'fail'
        ? findResult(check.follows, 'fail')
        : isNothing && findResult(check.needs, 'fail', 'inconclusive', 'blocked');
    const waiver = blocker && !isNothing ? applyWaiver(blocker, facts.profile).waiver : null;
    if (blocker && waiver !== null) {
      const reason = `${result.reason} It follows from ${blocker.id}, which is waived.`;
      Object.assign(result, { verdict: 'waived', waiver, reason });
    } else if (blocker) {
      const blockedBy = blocker.blockedBy ?? blocker.id;
      const reason = isNothing
        ? `There is nothing to judge, because ${blockedBy} did not pass.`
        : `${result.reason} It follows from ${blockedBy}.`;
      Object.assign(result, { verdict: 'blocked', blockedBy, reason });
    } else if (isNothing && check.ifNothing !== undefined) {
      Object.assign(result, { verdict: 'n/a', reason: check.ifNothing });
    } else if (result.verdict === 'inconclusive' && check.observes === 'retries' && refused) {
      result.reason = `${result.reason} ${refused}`;
    }
    return result;
  }

  return checks.map((check) => {
    const result = applyWaiver(judgeOne(check), facts.profile);
    const leftOut = whyLeftOut(check, facts.mode, selection);
    const isCut =
      check.phase === 'extensions'
        ? !facts.extensions.has(check.id)
        : !facts.finished.has(check.phase);
    const reason = leftOut ?? (isCut ? 'The run ended before.' : null);
    if (reason === null) return result;
    const nobody = { blockedBy: null, waiver: null, judged: 0, evidence: [] };
    return { ...describe(check), verdict: 'not run', reason, ...nobody };
  });
}

/** Why a check is not judged, whatever the run has seen; null if it is. */
export function whyLeftOut(
  { id, observes }: Pick<Check, 'id' | 'observes'>,
  mode: Facts['mode'],
  selection: Selection,
): string | null {
  if (!isSelected(id, selection)) return 'Left out by --only or --skip.';
  if (observes === 'a day' && mode !== 'long') return 'It takes a day: use --long.';
  return observes === 'retries' && mode === 'quick' ? 'Left out by --quick.' : null;
}

const nothing = 'There was nothing to judge.';

type Judged = Omit<CheckResult, keyof CheckDescription>;

/** One verdict from the judgements of a check: the worst one counts. */
function judgeCheck(check: Check, facts: Facts, explain: Explain, redactor: Redactor): Judged {
  const judgements = check.judge(facts);
  const having = (one: Judgement['verdict']) => judgements.filter(({ verdict }) => verdict === one);
  const order = ['fail', 'inconclusive', 'advice', 'pass', 'n/a'] as const;
  const verdict = order.find((one) => having(one).length > 0) ?? 'inconclusive';
  const shown = having(verdict);
  const reasons = [...new Set(shown.map(({ reason }) => reason))];
  const more = reasons.length > 1 ? ` And ${reasons.length - 1} more.` : '';
  const reason = judgements.length === 0 ? nothing : redactor.text(`${reasons[0]}${more}`);
  const isShown = verdict !== 'pass' && verdict !== 'n/a';
  return {
    ...{ verdict, reason: verdict === 'pass' ? null : reason, blockedBy: null, waiver: null },
    judged: judgements.length - having('n/a').length - having('inconclusive').length,
    evidence: isShown ? oneOfEach(shown).slice(0, 5).map(explain) : [],
  };
}

/** The judgements with different reasons. Those without anything to show are left out. */
const oneOfEach = (judgements: Judgement[]): Judgement[] =>
  [...new Map(judgements.map((one) => [one.reason, one])).values()].filter(
    ({ shown }) =>
      (shown.calls?.length ?? 0) + (shown.deliveries?.length ?? 0) > 0 || shown.orderId,
  );

function applyWaiver(result: CheckResult, { waivers }: Profile): CheckResult {
  const waiver = waivers.find(({ check }) => check === result.id);
  if (!waiver) return result;
  if (result.verdict === 'fail') return { ...result, verdict: 'waived', waiver: waiver.reason };
  if (!['pass', 'advice', 'n/a'].includes(result.verdict)) return result;
  return {
    ...result,
    verdict: 'fail',
    reason: `The profile waives this check, and its result is ${result.verdict}: remove the waiver.`,
    waiver: waiver.reason,
  };
}

/** The exit code of a run, and why. */
export function conclude(
  checks: readonly CheckResult[],
  { allowInconclusive = false, strict = false }: Selection,
  interrupted: string | null,
): Pick<Report, 'exitCode' | 'conclusion'> {
  const having = (...verdicts: Verdict[]) =>
    checks.filter(({ verdict }) => verdicts.includes(verdict));
  const give = (exitCode: Report['exitCode'], text: string, found: readonly CheckResult[] = []) => {
    const ids = found
      .slice(0, 5)
      .map(({ id }) => id)
      .join(', ');
    const more = found.length > 5 ? ` and ${found.length - 5} more` : '';
    return { exitCode, conclusion: found.length > 0 ? `${text}: ${ids}${more}.` : text };
  };
  if (interrupted !== null) return give(2, 'The run was not finished.');
  const failed = [...having('fail'), ...(strict ? having('advice') : [])];
  const real = failed.filter(({ waiver }) => waiver === null);
  if (real.length > 0) return give(1, 'The service does not conform', real);
  if (failed.length > 0) return give(1, 'A waiver matches no failure any more', failed);
  const judged = having('pass', 'waived', 'advice');
  if (judged.length === 0) return give(2, 'No check was judged.');
  const open = having('inconclusive', 'blocked').filter((check) => check.class === 'stated');
  if (open.length > 0 && !allowInconclusive) return give(2, 'Not everything could be judged', open);
  const waived = having('waived').length > 0 ? ' or are waived' : '';
  return give(0, `All ${judged.length} checks that were judged passed${waived}.`);
}
