import { clearLine, cursorTo } from 'node:readline';
import type { Command } from 'commander';
import type { CliContext, OutputStream } from '../context';
import { Stopped } from '../errors/cli-error';
import { getExitCode } from '../errors/exit-codes';
import type { OutputFormat } from '../input/options';
import { redactSecrets } from '../output/redact';
import {
  escapeControlChars,
  escapeControlCharsInJson,
  getStyle,
  getTerminalWidth,
  type StyleName,
  wrap,
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
    if (stderr.isTTY === true) {
      // The terminal has shown ^C.
      cursorTo(stderr, 0);
      clearLine(stderr, 0);
    }
    if (error.notice !== null) {
      const lines = wrap(error.notice, getTerminalWidth(stderr), { hanging: 2 });
      stderr.write(`${lines.join('\n')}\n`);
    }
    return exitCode;
  }
  const report = describeError(error);
  const hint = formatHints(report.hints, flags);
  const text = isJson(output)
    ? redactSecrets(formatJson(report, hint))
    : formatText(report, hint, context.stderr);
  context.stderr.write(text);
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

function formatText(report: ErrorReport, hint: string | null, stderr: OutputStream): string {
  const { title, details, requestId } = report;
  const style = getStyle(stderr);
  const width = getTerminalWidth(stderr);
  const format = (text: string, indent = 0) =>
    wrap(redactSecrets(escapeControlChars(text)), width, { indent, hanging: indent + 2 });
  const formatLabelled = (name: StyleName, label: string, text: string) => {
    const [first = '', ...others] = format(`${label} ${text}`);
    return [style(name, label) + first.slice(label.length), ...others];
  };
  const lines = [
    ...formatLabelled('red', 'error:', title),
    ...details.flatMap((line) => format(line.trim(), 2)),
    ...(hint === null ? [] : formatLabelled('cyan', 'hint:', hint)),
    ...(requestId === null ? [] : format(`request ID: ${requestId}`)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
