import { InvalidArgumentError, Option } from 'commander';

/** Reads an integer from `min` to `max`. */
export function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Reads a switch: in the environment it has a value, and `false` must not mean true. */
export function readSwitch(text: string): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0' || text === '') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

/** Reads what people call something. */
export function readName(text: string): string {
  if (text.trim() === '' || /\p{Cc}/u.test(text)) {
    throw new InvalidArgumentError('It must have letters, and no control characters.');
  }
  return text;
}

/** Reads units of a listing: an integer, 0 included. */
export const readUnits = integerFrom(0, 1_000_000_000);

function readFile(text: string): string {
  if (text.trim() === '') {
    throw new InvalidArgumentError('It must name a file; is a variable empty?');
  }
  return text;
}

/** `--database`: every command works on one. */
export function databaseOption(): Option {
  return new Option('--database <file>', 'SQLite file, made if it is not there')
    .env('TRADEPOST_DATABASE')
    .default('./tradepost.db')
    .argParser(readFile);
}

/** `--json`: what scripts read. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document on stdout');
}
