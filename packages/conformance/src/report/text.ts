import { formatSpan, formatTimeOfDay, onOneLine, requestLines, responseLines } from './messages';
import type { CheckResult, Evidence, Report } from './report';
import {
  explainVerdict,
  formatConclusion,
  formatLevel,
  groupBy,
  levelResults,
  listSections,
  measureRun,
  readFamily,
  type Section,
} from './summary';

export interface TextFormat {
  /** Cells. */
  width: number;
  /** Adds the codes of a terminal to a text that has none. */
  style: (name: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;
}

export const plain: TextFormat = { width: 80, style: (_, text) => text };

/** More evidence than this is only named: seven endpoints that fail alike need not fill three screens. */
const maxEvidence = 2;
const shown = { maxLength: 600, allHeaders: false };

/** Breaks a text of one line between words. A longer word stays whole, so that it can be copied. */
function wrap(
  text: string,
  { width }: TextFormat,
  first = '',
  others = ' '.repeat(Math.max(2, first.length)),
): string[] {
  const [start = '', ...words] = onOneLine(text).split(' ');
  const lines = [first + start];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length > width) lines.push(others + word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Puts a mark before each line of a message, so that none is taken for a line of the report. Longer lines are broken anywhere. */
function quote(lines: readonly string[], mark: string, { width, style }: TextFormat): string[] {
  const piece = new RegExp(`.{1,${Math.max(20, width - 8)}}`, 'gu');
  return lines
    .flatMap((line) => line.replaceAll('\t', '  ').match(piece) ?? [''])
    .map((line) => `      ${style('dim', mark)} ${line}`.trimEnd());
}

function evidenceLines({ title, exchanges, timeline }: Evidence, format: TextFormat): string[] {
  return [
    ...wrap(title, format, '    ').map((line) => format.style('bold', line)),
    ...exchanges.flatMap((exchange) => [
      `      ${formatTimeOfDay(exchange.at)}, ${exchange.direction}, ${Math.round(exchange.milliseconds)} ms`,
      ...quote(requestLines(exchange, shown), '>', format),
      ...quote(responseLines(exchange, shown), '<', format),
      // On one line, however long: it is copied.
      ...(exchange.curl === null ? [] : [`      ${onOneLine(exchange.curl)}`]),
    ]),
    ...timeline.flatMap(({ at, text }) => wrap(text, format, `      ${formatTimeOfDay(at)}  `)),
  ];
}

/** Returns all that shows why a check failed, or what it advises: sentence, observation and evidence. */
export function findingLines(check: CheckResult, format: TextFormat): string[] {
  const { source, evidence } = check;
  const lines = source
    ? wrap(`"${source.sentence}" (${source.section})`, format, '    ', '     ')
    : [];
  lines.push(...wrap(explainVerdict(check), format, '    '));
  for (const item of evidence.slice(0, maxEvidence)) lines.push('', ...evidenceLines(item, format));
  const more = evidence.slice(maxEvidence);
  if (more.length > 0) lines.push('', `    ${more.length} more like this:`);
  for (const { title } of more) lines.push(...wrap(title, format, '      - '));
  return lines;
}

function checkLines(check: CheckResult, format: TextFormat): string[] {
  const note = check.class === 'stated' ? '' : ` (${check.class})`;
  const title = wrap(`${check.id}  ${check.title}${note}`, format, '  ', '    ');
  // What the profile accepts needs no work: the other formats have its evidence.
  const shownCheck = check.verdict === 'waived' ? { ...check, evidence: [] } : check;
  return [
    '',
    ...title.map((line) => format.style('bold', line)),
    ...findingLines(shownCheck, format),
  ];
}

function sectionLines(
  { checks, label, meaning, outcome, color }: Section,
  format: TextFormat,
): string[] {
  const count = format.style(color, format.style('bold', `${checks.length} ${label}`));
  const lines = () => {
    if (outcome === 'pass') {
      const families = groupBy(checks, ({ id }) => readFamily(id));
      const counts = families.map(([family, { length }]) => `${family} ${length}`);
      return wrap(counts.join(', '), format, '  ');
    }
    if (outcome !== 'skip') return checks.flatMap((check) => checkLines(check, format));
    // Most share a reason: "a quick run observes no retries".
    return groupBy(checks, explainVerdict).flatMap(([reason, group]) => [
      ...wrap(group.map(({ id }) => id).join(', '), format, '  '),
      ...wrap(reason, format, '    '),
    ]);
  };
  return [`${count}  ${format.style('dim', meaning)}`, ...lines(), ''];
}

/**
 * Formats a report for terminals and pipes: failures in full, passes as counts, the conclusion last. Texts of the service are escaped:
 * none moves the cursor, changes a colour or looks like a line of the report. Without options: 80 cells, and no codes of terminals.
 */
export function formatText(report: Report, options: Partial<TextFormat> = {}): string {
  const format = { ...plain, ...options };
  const { kit, target, checks, exitCode, mode, startedAt, left } = report;
  const bold = (text: string) => format.style('bold', text);
  const title = `Conformance of ${target.baseUrl} to API ${report.api}`;
  const run = `${kit.name} ${kit.version}, ${mode} run of ${formatSpan(measureRun(report))}, started ${startedAt}, receiver ${target.receiver}`;
  const lines = [
    ...wrap(title, format).map(bold),
    ...wrap(run, format),
    '',
    ...listSections(checks).flatMap((section) => sectionLines(section, format)),
    ...levelResults(report).flatMap((result) =>
      wrap(formatLevel(result, report), format, `${result.level.padEnd(10)}  `),
    ),
    ...(left.length === 0 ? [] : ['Left at the service:']),
    ...left.flatMap((line) => wrap(line, format, '  - ')),
    '',
    ...wrap(formatConclusion(report), format).map((line) =>
      format.style(exitCode === 0 ? 'green' : 'red', bold(line)),
    ),
    `Exit code ${exitCode}.`,
  ];
  return `${lines.join('\n')}\n`;
}
