import { describeError } from './error-report';
import { exitCodeOf } from './exit-codes';
import type { OutputFormat } from './global-options';
import { harmless, harmlessJson } from './output/harmless';
import { type Style, styleOf } from './output/style';
import type { Terminal } from './terminal';

/** The error for people: what failed, why, what to do, and the id to ask for help with. */
function storyText(error: unknown, style: Style): string {
  const { report, story } = describeError(error);
  const lines = [
    `${style('red', 'error:')} ${harmless(story.what)}`,
    ...story.why.map((line) => `  ${harmless(line.trim())}`),
  ];
  if (report.hint !== null) lines.push(`${style('cyan', 'hint:')} ${harmless(report.hint)}`);
  if (report.requestId !== null) lines.push(`request id: ${harmless(report.requestId)}`);
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Tells on stderr what went wrong: as text, or as one JSON object when data is asked for as JSON.
 *
 * @returns the exit code that the error ends the process with
 */
export function reportError(error: unknown, terminal: Terminal, output: OutputFormat): number {
  const exitCode = exitCodeOf(error);
  // `| head` has what it wanted: that is no failure and needs no word.
  if (exitCode === 0) return exitCode;
  if (output === 'json' || output === 'ndjson') {
    const { report } = describeError(error);
    terminal.stderr.write(`${harmlessJson(JSON.stringify({ error: report }))}\n`);
  } else {
    terminal.stderr.write(storyText(error, styleOf(terminal.stderr)));
  }
  return exitCode;
}
