import type { Writable } from 'node:stream';

/** Where a command writes: data on stdout and all else on stderr. */
export interface Streams {
  stdout: Writable;
  stderr: Writable;
}

/** Prints a result: one line of JSON for scripts, else a field a line for people. */
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
