import { openSync, writeSync } from 'node:fs';
import process from 'node:process';
import type { Fetch } from '@tradepost/sdk';
import { version } from '../../package.json';
import { CliError } from '../cli-error';
import type { Terminal } from '../terminal';
import { redactorOf } from './redact';

/** More of a body than this many characters is not kept. */
const longestBody = 100_000;

type Answer = Awaited<ReturnType<Fetch>>;

/**
 * A `fetch` that writes down each request and what came of it, one JSON object a line, as it
 * happens: what a command that hangs or is killed did is there to read. Keys and secrets are not.
 *
 * @param file is made anew, for its owner's eyes alone
 * @throws {CliError} `file_failed` when the file cannot be made.
 */
export function recordingFetch(file: string, apiKey: string, terminal: Terminal): Fetch {
  const redact = redactorOf(apiKey);
  const descriptor = opened(file);
  let requests = 0;

  function write(entry: Record<string, unknown>): void {
    const at = new Date(terminal.now()).toISOString();
    writeSync(descriptor, `${JSON.stringify(redact({ at, ...entry }))}\n`);
  }

  const { platform, arch, version: node } = process;
  write({ kind: 'session', tradepost: version, node, platform, arch });

  return async (url, init) => {
    requests += 1;
    const request = requests;
    const startedAt = terminal.now();
    const { method, headers, body } = init;
    write({ kind: 'request', request, method, url, headers, body: shownBody(body) });
    const tell = (entry: Record<string, unknown>) =>
      write({ ...entry, request, durationMs: terminal.now() - startedAt });
    try {
      const answer: Answer = await fetch(url, init);
      const text = await answer.text();
      const told = Object.fromEntries(Array.from(headersOf(answer)));
      tell({ kind: 'answer', status: answer.status, headers: told, body: shownBody(text) });
      return { status: answer.status, headers: answer.headers, text: async () => text };
    } catch (error) {
      tell({ kind: 'failure', error: reasonOf(error) });
      throw error;
    }
  };
}

function opened(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    throw new CliError(
      'file_failed',
      `the record for --debug cannot be written: ${error instanceof Error ? error.message : error}`,
      'Nothing was sent. Name a file in a folder that you may write to.',
    );
  }
}

/** A body as what it says, where it is JSON: redaction looks at its fields. */
function shownBody(text: string | undefined): unknown {
  if (text === undefined || text === '') return null;
  try {
    if (text.length <= longestBody) return JSON.parse(text);
  } catch {
    // Shown as the text that it is.
  }
  return text.length > longestBody ? `${text.slice(0, longestBody)}…` : text;
}

function headersOf({ headers }: Answer): [string, string][] {
  const found: [string, string][] = [];
  headers.forEach((value, name) => {
    found.push([name, value]);
  });
  return found;
}

/** The error with what lies underneath: `fetch failed` alone tells nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}
