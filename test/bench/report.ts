import { availableParallelism, cpus } from 'node:os';
import type { Figure } from './figure';
import { quantile } from './quantiles';

/** How many rounds are shown one by one. */
const shownRounds = 9;

/** Formats a value with its significant digits. */
function amount(value: number, unit: Figure['unit']): string {
  const isRate = unit === '/s' || unit === '/min';
  const digits = Math.abs(value) >= 100 || isRate ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const shown = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return isRate ? `${shown}${unit}` : `${shown} ${unit}`;
}

const times = (ratio: number) => `${ratio.toFixed(2)}x`;

function formatGoal({ goal, unit }: Figure): string {
  if (goal === null) return '';
  const value = goal.of === 'ratio' ? `${goal.value}x` : amount(goal.value, unit);
  return `${goal.bound} ${value}`;
}

const formatVerdict = ({ met }: Figure) => (met === null ? '' : met ? 'met' : 'SHORT');

function spread(values: readonly number[], unit: Figure['unit']): string {
  if (values.length < 2) return '';
  if (values.length > shownRounds) {
    const [least, most] = [quantile(values, 0), quantile(values, 1)];
    return `  (${values.length} rounds: ${amount(least, unit)} to ${amount(most, unit)})`;
  }
  return `  (rounds: ${values.map((value) => amount(value, unit)).join(', ')})`;
}

/** Describes the machine, and how to read the figures. */
export function introduction(): string {
  const [cpu] = cpus();
  const processors = availableParallelism();
  return `Tradepost's figures, ours and the baseline in turn, medians of the rounds.
Node ${process.version} on ${process.platform}, ${processors} CPUs (${cpu?.model.trim() ?? 'unknown'}).
Server, receivers and load are processes of this one machine and share its CPUs: with few of them
they compete, and so does whatever else runs. Loopback only, files in the system's temporary folder.
`;
}

/** Formats one figure in full. */
export function block(figure: Figure): string {
  const { unit, ours, baseline, ratio, rounds } = figure;
  const lines = [
    `${figure.bench}: ${figure.what}`,
    `  ours      ${amount(ours, unit)}${spread(rounds.ours, unit)}`,
  ];
  if (baseline !== null) {
    lines.push(`  baseline  ${amount(baseline.value, unit)}${spread(rounds.baseline, unit)}`);
    lines.push(`            ${baseline.what}`);
  }
  if (ratio !== null) lines.push(`  ratio     ${times(ratio)}`);
  if (figure.goal !== null)
    lines.push(`  goal      ${formatGoal(figure)}: ${formatVerdict(figure)}`);
  for (const note of figure.notes) lines.push(`  note      ${note}`);
  return `${lines.join('\n')}\n`;
}

/** Formats all figures, one on each line. */
export function table(figures: readonly Figure[]): string {
  const head = ['bench', 'figure', 'ours', 'baseline', 'ratio', 'goal', ''];
  const rows = figures.map((figure) => [
    figure.bench,
    figure.what,
    amount(figure.ours, figure.unit),
    figure.baseline ? amount(figure.baseline.value, figure.unit) : '',
    figure.ratio === null ? '' : times(figure.ratio),
    formatGoal(figure),
    formatVerdict(figure),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Formats a count with separators: `1,000,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
