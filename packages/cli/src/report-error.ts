import type { Command } from 'commander';
import { describeError } from './error-report';
import { exitCodeOf } from './exit-codes';
import type { OutputFormat } from './global-options';
import { blotSecrets } from './output/blot-secrets';
import { harmless, harmlessJson } from './output/harmless';
import { type Style, styleOf } from './output/style';
import { asSameLogin, type Login } from './same-login';
import type { Terminal } from './terminal';
import { isParserError, usageErrorOf } from './usage-error';

type Described = ReturnType<typeof describeError>;

/** The error for programs: one JSON object on one line. */
function reportText({ report }: Described): string {
  return `${harmlessJson(JSON.stringify({ error: report }))}\n`;
}

/** The error for people: what failed, why, what to do, and the id to ask for help with. */
function storyText({ report, story }: Described, style: Style): string {
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
 * No key and no secret is repeated, whoever said it.
 *
 * @param command the command that the parser had come to
 * @param login the options that said which service to ask, and as whom
 * @returns the exit code that the error ends the process with
 */
export function reportError(
  thrown: unknown,
  terminal: Terminal,
  { output, command, login }: { output: OutputFormat; command: Command; login: Login },
): number {
  const error = isParserError(thrown) ? usageErrorOf(thrown, command) : thrown;
  const exitCode = exitCodeOf(error);
  // `| head` has what it wanted: that is no failure and needs no word.
  if (exitCode === 0) return exitCode;
  const isJson = output === 'json' || output === 'ndjson';
  const { report, story } = describeError(error);
  const hint = report.hint === null ? null : asSameLogin(report.hint, login);
  const described = { report: { ...report, hint }, story };
  const text = isJson ? reportText(described) : storyText(described, styleOf(terminal.stderr));
  terminal.stderr.write(blotSecrets(text));
  return exitCode;
}
