import type { Writable } from 'node:stream';

/** The output streams of a command: data goes to stdout, everything else to stderr. */
export interface Streams {
  stdout: Writable;
  stderr: Writable;
}

/** Prints a result: one line of JSON for scripts, otherwise one line for each field. */
export function printResult(
  streams: Streams,
  result: Record<string, unknown>,
  asJson: boolean | undefined,
): void {
  if (asJson) {
    streams.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) {
    streams.stdout.write(`${name.padEnd(width)}  ${value ?? '-'}\n`);
  }
}
