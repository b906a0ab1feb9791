import { appendFileSync, closeSync, fchmodSync, fstatSync, openSync, readSync } from 'node:fs';
import process from 'node:process';
import { type Fetch, readText } from '@tradepost/sdk';
import { version } from '../../package.json';
import type { CliContext } from '../context';
import { attempt, CliError, getErrorMessage } from '../errors/cli-error';
import { getExitCode } from '../errors/exit-codes';
import { printNotice } from '../output/print';
import { createRedactor, redactHeaders } from '../output/redact';
import { describeError } from '../report/error-report';
import { formatHints } from '../report/hint';

const logHeader = /^\{"at":"[^"]+","kind":"command",/;

/** Contexts whose log is incomplete: that is reported once. */
const incompleteLogs = new WeakSet<CliContext>();

/**
 * Starts the log of `--debug`: a file with one JSON object per line, of which the first is the command
 * line. API keys and secrets are redacted.
 *
 * @param file is created, readable by its owner only; an earlier log is added to
 * @param argv the arguments without the program
 * @returns a function that adds the last line: how the command ended
 * @throws {CliError} `file_unusable` if the file cannot be written, or is not a log
 */
export function openDebugLog(
  file: string,
  argv: readonly string[],
  context: CliContext,
): (error?: unknown) => void {
  const startedAt = context.now();
  attempt(
    () => prepare(file),
    'file_unusable',
    'Cannot write the debug log',
    'Nothing was sent. Name a file in a folder that you can write to.',
  );
  const write = createLogWriter(file, context.env.TRADEPOST_API_KEY?.trim() || null, context);
  const { platform, arch, version: node } = process;
  write({ kind: 'command', argv, tradepost: version, node, platform, arch });
  return (error) => {
    const durationMs = context.now() - startedAt;
    if (error === undefined) write({ kind: 'end', exitCode: 0, durationMs });
    else write({ kind: 'end', exitCode: getExitCode(error), durationMs, error: toEntry(error) });
  };
}

/** Creates the file of a log, or checks that it is one. Only its owner may read it. */
function prepare(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    const stats = fstatSync(descriptor);
    // A device has no content, and keeps its mode.
    if (!stats.isFile()) return;
    if (stats.size > 0 && !logHeader.test(readStart(file))) {
      throw new CliError(
        'file_unusable',
        `${file} exists and is not a debug log: it was not changed`,
        'Nothing was sent. Name a new file.',
      );
    }
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

function readStart(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(64);
    return start.toString('utf8', 0, readSync(descriptor, start));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates a function that adds lines to the log. A line that cannot be written, for example to a full
 * disk, is reported once on stderr and does not stop the command.
 *
 * @param apiKey is redacted in every line; null if unknown
 */
function createLogWriter(
  file: string,
  apiKey: string | null,
  context: CliContext,
): (entry: Record<string, unknown>) => void {
  const redact = createRedactor(apiKey);
  return (entry) => {
    if (incompleteLogs.has(context)) return;
    try {
      const line = redact({ at: new Date(context.now()).toISOString(), ...entry });
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (error) {
      incompleteLogs.add(context);
      printNotice(context, `The debug log is incomplete: ${getErrorMessage(error)}.`);
    }
  };
}

/** Joins the messages of an error and its causes: `fetch failed` alone says nothing. */
function formatCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || ('code' in error ? String(error.code) : error.name);
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return cause === undefined ? message : `${message}: ${formatCauses(cause)}`;
}

function toEntry(error: unknown): Record<string, unknown> {
  const { code, message, status, requestId, hints, errors } = describeError(error);
  const stack = code === 'unexpected' && error instanceof Error ? { stack: error.stack } : {};
  const reason = formatCauses(error);
  return { code, message, status, requestId, hint: formatHints(hints), errors, reason, ...stack };
}

const maxBodyLength = 100_000;

type LoggedResponse = Awaited<ReturnType<Fetch>>;

/**
 * Creates a `fetch` that logs each request and its result as it happens: the log of a command that hangs
 * or is killed is complete up to then.
 *
 * @param send sends the requests
 */
export function createLoggingFetch(
  file: string,
  apiKey: string,
  context: CliContext,
  send: Fetch,
): Fetch {
  const write = createLogWriter(file, apiKey, context);
  let requests = 0;

  return async (url, init) => {
    requests += 1;
    const request = requests;
    const startedAt = context.elapsed();
    const { method, headers, body } = init;
    write({
      kind: 'request',
      request,
      method,
      url,
      headers,
      body: redactHeaders(formatBody(body)),
    });
    const log = (entry: Record<string, unknown>) =>
      write({ ...entry, request, durationMs: context.elapsed() - startedAt });

    let response: LoggedResponse;
    try {
      response = await send(url, init);
    } catch (error) {
      log({ kind: 'failure', error: formatCauses(error) });
      throw error;
    }
    const { status, headers: received } = response;
    const requestId = received.get('x-request-id');
    const head = { status, requestId, headers: formatHeaders(received) };
    try {
      const text = await readText(response, init.maxResponseBytes ?? Number.POSITIVE_INFINITY);
      log({ kind: 'response', ...head, body: formatBody(text) });
      return { status, headers: received, text: async () => text };
    } catch (error) {
      log({ kind: 'failure', ...head, error: formatCauses(error) });
      // The caller gets the error when it reads the body, as without a log.
      return { status, headers: received, text: () => Promise.reject(error) };
    }
  };
}

/** Parses a JSON body, since redaction goes by field names. */
function formatBody(text: string | undefined): unknown {
  if (text === undefined || text === '') return null;
  // Not truncated: half a secret is not recognised as one.
  if (text.length > maxBodyLength) return `(${text.length} characters, not logged)`;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function formatHeaders(headers: LoggedResponse['headers']): Record<string, string> {
  const found: Record<string, string> = {};
  headers.forEach((value, name) => {
    found[name] = value;
  });
  return found;
}
