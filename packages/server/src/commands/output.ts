import type { Writable } from 'node:stream';

/** The output streams of a command: data goes to stdout, everything else to stderr. */
export interface Streams {
  stdout: Writable;
  stderr: Writable;
}

/** Prints a list: one line of JSON for scripts, otherwise an empty line after each item. */
export function printList(
  streams: Streams,
  items: Record<string, unknown>[],
  { json, none }: { json: boolean | undefined; none: string },
): void {
  if (json) {
    streams.stdout.write(`${JSON.stringify(items)}\n`);
    return;
  }
  if (items.length === 0) streams.stderr.write(`${none}\n`);
  for (const item of items) {
    printResult(streams, item, false);
    streams.stdout.write('\n');
  }
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
