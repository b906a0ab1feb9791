import { onOneLine } from './messages';
import type { Mode, Report } from './report';
import { type LevelResult, levelResults } from './summary';

/** By the state of a level, the worst first. Without any of these: light grey. */
const colors = { failed: 'red', 'in part': 'yellow', passed: 'green' };

function describe({ level, state, checks, count, judged }: LevelResult, mode: Mode): string {
  if (judged === 0) return `${level} ${state}`;
  const quick = mode === 'quick' ? ' (quick)' : '';
  const waivers = count('waived') === 0 ? '' : `, ${count('waived')} waived`;
  const texts: Record<string, string> = {
    passed: `${count('pass')} checks`,
    failed: `${count('fail')} of ${checks.length} checks`,
  };
  const text = texts[state] ?? `${judged} of ${checks.length} checks judged, 0 failed`;
  return `${level} ${state}${quick}: ${text}${waivers}`;
}

/**
 * Returns what a badge may state: each level with its counts and waivers, and the version of the kit. A level that ran only in part, as
 * in a quick run, never "passed". The form is that of https://shields.io/badges/endpoint-badge.
 */
export function badgeEndpoint(report: Report) {
  const results = levelResults(report);
  const isFound = ([state]: [string, string]) => results.some((result) => result.state === state);
  return {
    schemaVersion: 1,
    label: onOneLine(`tradepost conformance ${report.kit.version}`),
    message: results.map((result) => describe(result, report.mode)).join('; '),
    color: Object.entries(colors).find(isFound)?.[1] ?? 'lightgrey',
  };
}

/** Formats a badge as one line of text. */
export function formatBadge(report: Report): string {
  const { label, message } = badgeEndpoint(report);
  return `${label}: ${message}\n`;
}
