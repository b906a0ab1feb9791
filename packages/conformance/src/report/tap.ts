import { escapeHiddenCharacters } from '@tradepost/contract/hidden-characters';
import { stringify } from 'yaml';
import { onOneLine, requestLines, responseLines } from './messages';
import { type CheckResult, type Report, verdictTexts } from './report';
import { explainVerdict, formatConclusion, runFailure } from './summary';

const shown = { maxLength: 2_000, allHeaders: true };

function diagnostics(value: object): string {
  const yaml = escapeHiddenCharacters(stringify(value, { lineWidth: 0 }), '\n\t');
  return `  ---\n${yaml.replace(/^(?=.)/gm, '  ')}  ...\n`;
}

function findings(check: CheckResult): string {
  return diagnostics({
    message: explainVerdict(check),
    class: check.class,
    ...(check.source ?? {}),
    evidence: check.evidence.map(({ title, exchanges, timeline }) => ({
      title,
      exchanges: exchanges.map((exchange) => ({
        at: exchange.at,
        request: requestLines(exchange, shown).join('\n'),
        response: responseLines(exchange, shown).join('\n'),
        curl: exchange.curl,
      })),
      timeline: timeline.map(({ at, text }) => `${at} ${text}`),
    })),
  });
}

function testPoint(check: CheckResult, number: number): string {
  const { label, outcome } = verdictTexts[check.verdict];
  // A `#` would start a directive.
  const description = onOneLine(`${check.id} ${check.title}`).replace(/[\\#]/g, '\\$&');
  const line = `ok ${number} - ${description}`;
  const note = `${label}: ${onOneLine(explainVerdict(check))}`;
  // TODO is a failure that does not fail the run, SKIP is no result. Source: TAP 14, "Directives".
  if (outcome === 'pass') return `${line}\n`;
  if (outcome === 'skip') return `${line} # SKIP ${note}\n`;
  return `not ${line}${outcome === 'note' ? ` # TODO ${note}` : ''}\n${findings(check)}`;
}

/**
 * Formats a report as TAP 14, with diagnostics in YAML. A run that did not succeed although no check failed has a test point of its own
 * that fails.
 */
export function formatTap(report: Report): string {
  const { kit, target, checks, exitCode, mode } = report;
  const failure = runFailure(report);
  const points = checks.map((check, index) => testPoint(check, index + 1));
  if (failure !== null) {
    const message = diagnostics({ message: failure });
    points.push(`not ok ${points.length + 1} - The run succeeds\n${message}`);
  }
  const title = onOneLine(`${kit.name} ${kit.version}, ${mode} run, ${target.baseUrl}`);
  const end = onOneLine(`${formatConclusion(report)} Exit code ${exitCode}.`);
  return `TAP version 14\n1..${points.length}\n# ${title}\n${points.join('')}# ${end}\n`;
}
