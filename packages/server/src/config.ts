import { InvalidArgumentError, Option } from 'commander';
import { logLevels } from './log';

function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Reads a switch: in the environment it has a value, and `false` must not mean true. */
function readSwitch(text: string): boolean {
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

/** How the server runs: a flag wins over the environment, which wins over the default. */
export const startOptions: readonly Option[] = [
  new Option('--port <port>', 'TCP port; 0 takes a free one')
    .env('PORT')
    .default(4010)
    .argParser(integerFrom(0, 65_535)),
  new Option('--host <address>', 'address to listen on').env('TRADEPOST_HOST').default('127.0.0.1'),
  new Option('--rate-limit <requests>', 'requests that one API key may make in a minute')
    .env('TRADEPOST_RATE_LIMIT')
    .default(6000)
    .argParser(integerFrom(1, 100_000_000)),
  new Option('--log-level <level>', 'how much to log on stderr')
    .env('TRADEPOST_LOG_LEVEL')
    .choices(logLevels)
    .default('info'),
  new Option(
    '--allow-insecure-webhooks [boolean]',
    'for development: deliver to http://, to private addresses, and past bad certificates',
  )
    .env('TRADEPOST_ALLOW_INSECURE_WEBHOOKS')
    .argParser(readSwitch),
];
