import { onOneLine } from './messages';
import type { Mode, Report } from './report';
import { type LevelResult, levelResults } from './summary';

const colors: Record<LevelResult['state'], string> = {
  passed: 'green',
  failed: 'red',
  'in part': 'yellow',
  'not run': 'lightgrey',
  'not applicable': 'lightgrey',
};

function describe({ state, counts, judged, total, level }: LevelResult, mode: Mode): string {
  if (judged === 0) return `${level} ${state}`;
  const { fail = 0, pass = 0, waived = 0 } = counts;
  const numbers = {
    passed: `${pass} checks`,
    failed: `${fail} of ${total} checks`,
  }[state as string];
  const quick = mode === 'quick' ? ' (quick)' : '';
  const waivers = waived === 0 ? '' : `, ${waived} waived`;
  return `${level} ${state}${quick}: ${numbers ?? `${judged} of ${total} checks judged, 0 failed`}${waivers}`;
}

/**
 * Returns what a badge may state: each level with its counts and waivers, and the version of the kit. A level that ran only in part, as
 * in a quick run, never "passed". The form is that of https://shields.io/badges/endpoint-badge.
 */
export function badgeEndpoint(report: Report) {
  const results = levelResults(report);
  const worst = (['failed', 'in part', 'passed', 'not run'] as const).find((state) =>
    results.some((result) => result.state === state),
  );
  return {
    schemaVersion: 1,
    label: onOneLine(`tradepost conformance ${report.kit.version}`),
    message: results.map((result) => describe(result, report.mode)).join('; '),
    color: colors[worst ?? 'not run'],
  };
}

/** Formats a badge as one line of text. */
export function formatBadge(report: Report): string {
  const { label, message } = badgeEndpoint(report);
  return `${label}: ${message}\n`;
}
