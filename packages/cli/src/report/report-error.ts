import type { Command } from 'commander';
import type { CliContext } from '../context';
import { Stopped } from '../errors/cli-error';
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
import { isParserError, toUsageError } from './usage-error';

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
  if (error instanceof Stopped && !isJson(output)) {
    const { stderr } = context;
    // The terminal has shown ^C.
    const end = error.notice ?? (stderr.isTTY === true ? '' : null);
    if (end !== null) stderr.write(`${end}\n`);
    return exitCode;
  }
  const report = describeError(error);
  const hint = formatHints(report.hints, flags);
  const text = isJson(output)
    ? formatJson(report, hint)
    : formatText(report, hint, getStyle(context.stderr));
  context.stderr.write(redactSecrets(text));
  return exitCode;
}

function isJson(output: OutputFormat): boolean {
  return output === 'json' || output === 'ndjson';
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
