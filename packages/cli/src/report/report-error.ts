import type { Command, CommanderError } from 'commander';
import type { CliContext } from '../context';
import { CliError, capitalize, type Hint } from '../errors/cli-error';
import { getExitCode } from '../errors/exit-codes';
import type { OutputFormat } from '../input/options';
import {
  escapeControlChars,
  escapeControlCharsInJson,
  getStyle,
  redactSecrets,
  type Style,
} from '../output/text';
import { describeError, type ErrorReport } from './error-report';
import { type ConnectionFlags, formatHints } from './hint';

/**
 * Reports an error on stderr: as text, or as one JSON object where the output is JSON. API keys and
 * secrets are redacted.
 *
 * @param command the command that was parsed
 * @param flags the connection flags, which commands in hints need too
 * @returns the exit code
 */
export function reportError(
  thrown: unknown,
  context: CliContext,
  { output, command, flags }: { output: OutputFormat; command: Command; flags: ConnectionFlags },
): number {
  const error = isParserError(thrown) ? toUsageError(thrown, command) : thrown;
  const exitCode = getExitCode(error);
  // `| head` has what it wanted.
  if (exitCode === 0) return exitCode;
  const report = describeError(error);
  const hint = formatHints(report.hints, flags);
  const text =
    output === 'json' || output === 'ndjson'
      ? formatJson(report, hint)
      : formatText(report, hint, getStyle(context.stderr));
  context.stderr.write(redactSecrets(text));
  return exitCode;
}

function formatJson(report: ErrorReport, hint: string | null): string {
  const { code, message, status, requestId, errors } = report;
  const error = { code, message, status, requestId, hint, errors };
  return `${escapeControlCharsInJson(JSON.stringify({ error }))}\n`;
}

function formatText(report: ErrorReport, hint: string | null, style: Style): string {
  const { title, details, requestId } = report;
  const lines = [
    `${style('red', 'error:')} ${escapeControlChars(title)}`,
    ...details.map((line) => `  ${escapeControlChars(line.trim())}`),
  ];
  if (hint !== null) lines.push(`${style('cyan', 'hint:')} ${escapeControlChars(hint)}`);
  if (requestId !== null) lines.push(`request ID: ${escapeControlChars(requestId)}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Whether Commander threw an error. Its class is not in the bundle of the commands. */
function isParserError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

function commandPath(command: Command): string {
  if (!command.parent) return '';
  return `${commandPath(command.parent)} ${command.name()}`.trim();
}

function toUsageError(error: CommanderError, command: Command): CliError {
  const path = commandPath(command);
  const help: Hint = { text: 'See', command: `${path} --help`.trim(), local: true };
  if (error.code === 'commander.help') {
    const children = command.createHelp().visibleCommands(command);
    const names = children.map((child) => child.name()).join(', ');
    return new CliError(
      'usage',
      `Missing command after \`tradepost${path && ` ${path}`}\`. Use one of: ${names}`,
    );
  }
  let [text = '', suggestion] = error.message.split(/\n\(Did you mean (.*)\?\)$/s);
  if (error.code === 'commander.missingMandatoryOptionValue') {
    // Commander checks this first, although the missing option may be there, and mistyped.
    const mistyped = command.args.find((argument) => /^--?\w/.test(argument))?.replace(/=.*$/s, '');
    if (mistyped !== undefined)
      text = `unknown option '${mistyped}', and ${text.replace(/^error: /, '')}`;
  }
  text = text
    .replace(/^error: (command-argument value )?/, '')
    // What follows the `=` of an unknown option may be a key.
    .replace(/^(unknown option '[^=']*)=.*$/s, "$1'");
  const message = capitalize(text);
  if (text.includes("'--api-key")) {
    const hint = 'Set TRADEPOST_API_KEY instead: other programs can see the command line.';
    return new CliError('usage', message, hint);
  }
  if (suggestion === undefined) return new CliError('usage', message, help);
  return new CliError('usage', message, `Did you mean ${suggestion}?`, help);
}
