import type { Writable } from 'node:stream';
import { escapeHiddenCharacters } from '@tradepost/contract/hidden-characters';

/** The output streams of a command: data goes to stdout, everything else to stderr. */
export interface Streams {
  stdout: Writable;
  stderr: Writable;
}

/** Escapes text of a database for a terminal, on one line. Applied to a JSON text on one line, it keeps its meaning. */
export function escapeControlChars(text: string): string {
  return escapeHiddenCharacters(text);
}

/** Returns a value as one line of JSON that a terminal can show. */
export function toJsonText(value: unknown): string {
  return escapeControlChars(JSON.stringify(value));
}

/** Shortens a text that is shown. */
export function shorten(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : text;
}

/** Prints rows with the same fields below their names; nothing if there are none. */
export function printTable(streams: Streams, rows: Record<string, string>[]): void {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return;
  const lines = [
    names,
    ...rows.map((row) => names.map((name) => escapeControlChars(row[name] ?? ''))),
  ];
  const widths = names.map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  for (const line of lines) {
    const cells = line.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    streams.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** Prints a list: one line of JSON for scripts, otherwise an empty line after each item. */
export function printList(
  streams: Streams,
  items: Record<string, unknown>[],
  { json, none }: { json: boolean | undefined; none: string },
): void {
  if (json) {
    streams.stdout.write(`${toJsonText(items)}\n`);
    return;
  }
  if (items.length === 0) streams.stderr.write(`${none}\n`);
  for (const item of items) {
    printResult(streams, item, false);
    streams.stdout.write('\n');
  }
}

/** Says that a list has another page. */
export function printMore(streams: Streams, cursor: string): void {
  streams.stderr.write(`There are more: pass --cursor ${cursor}\n`);
}

/** Returns a setting as it is printed: to people, one that is not set is the default of the server. */
export function showSetting(
  value: number | null,
  asJson: boolean | undefined,
): number | 'default' | null {
  return asJson ? value : (value ?? 'default');
}

/** Prints a result: one line of JSON for scripts, otherwise one line for each field. */
export function printResult(
  streams: Streams,
  result: Record<string, unknown>,
  asJson: boolean | undefined,
): void {
  if (asJson) {
    streams.stdout.write(`${toJsonText(result)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) {
    streams.stdout.write(`${name.padEnd(width)}  ${escapeControlChars(String(value ?? '-'))}\n`);
  }
}
