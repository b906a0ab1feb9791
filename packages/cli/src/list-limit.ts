import { type Command, InvalidArgumentError, Option } from 'commander';

/** How many items a list shows unless told. */
const usualLimit = 50;

/** How many items a page can hold at most. Source: the contract's `pageLimit`. */
const largestPage = 100;

/** What a command that lists takes. */
export interface ListLimitOptions {
  /** How many items to show at most. */
  limit?: number;
  /** Whether to show every item. */
  all?: true;
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  }
  return Number(text);
}

/** Gives a command `--limit N` and `--all`, of which one excludes the other. */
export function addLimitOptions(command: Command, noun: string): Command {
  return command
    .option('--limit <n>', `show at most so many ${noun} (${usualLimit} unless told)`, parseLimit)
    .addOption(new Option('--all', `show all ${noun}`).conflicts('limit'));
}

/** How many items to show, and how many to ask the service for at a time. */
export function limitsOf(options: ListLimitOptions): { limit: number; pageSize: number } {
  const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? usualLimit);
  return { limit, pageSize: Math.min(limit, largestPage) };
}
