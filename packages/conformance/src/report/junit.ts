import { type Markup, markup } from './markup';
import { type CheckResult, type Report, verdictTexts } from './report';
import { explainVerdict, groupBy, measureRun, readFamily, runFailure } from './summary';
import { findingLines, plain } from './text';

/** CI shows failures in pages that are wider than a terminal. */
const format = { ...plain, width: 120 };

function content(check: CheckResult): Markup | string {
  const { label, outcome } = verdictTexts[check.verdict];
  const message = explainVerdict(check);
  if (outcome === 'pass') return '';
  if (outcome === 'skip') return markup`<skipped message="${`${label}: ${message}`}"/>`;
  const text = findingLines(check, format).join('\n');
  return outcome === 'fail'
    ? markup`<failure type="${check.class}" message="${message}">${text}</failure>`
    : markup`<system-out>${label}:\n${text}</system-out>`;
}

/** Counts of a suite, or of all, as JUnit names them. */
function counts(checks: readonly CheckResult[], errors: number): Markup {
  const count = (outcome: string) =>
    checks.filter(({ verdict }) => verdictTexts[verdict].outcome === outcome).length;
  return markup`tests="${checks.length + errors}" failures="${count('fail')}" errors="${errors}" skipped="${count('skip')}"`;
}

/**
 * Formats a report as JUnit XML: a suite per family of checks. Waived checks and advice pass, with a note; checks without a result are
 * skipped. A run that did not succeed although no check failed has an error of its own.
 */
export function formatJunit(report: Report): string {
  const { checks, kit, target, startedAt, mode } = report;
  const name = `${kit.name} ${kit.version}, ${mode} run, ${target.baseUrl}`;
  const suites = groupBy(checks, ({ id, level }) => `${level}.${readFamily(id)}`).map(
    ([suite, own]) => markup`
  <testsuite name="${suite}" ${counts(own, 0)} timestamp="${startedAt}">${own.map(
    (check) => markup`
    <testcase classname="${suite}" name="${check.id} ${check.title}">${content(check)}</testcase>`,
  )}
  </testsuite>`,
  );
  const failure = runFailure(report);
  const error = markup`
  <testsuite name="run" ${counts([], 1)} timestamp="${startedAt}">
    <testcase classname="run" name="The run succeeds"><error message="${failure ?? ''}"/></testcase>
  </testsuite>`;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}" ${counts(checks, failure === null ? 0 : 1)} time="${measureRun(report) / 1_000}">${suites}${failure === null ? '' : error}
</testsuites>
`.source;
}
