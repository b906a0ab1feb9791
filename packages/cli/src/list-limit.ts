import type { Command } from 'commander';
import { countParser } from './input/parse-count';

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
  /** Whether a list that was cut is a failure. */
  failIfTruncated?: true;
}

/** Gives a command `--limit N` and `--all`, of which one excludes the other. */
export function addLimitOptions(command: Command, noun: string): Command {
  return command
    .option(
      '--limit <n>',
      `show at most so many ${noun} (${usualLimit} unless told)`,
      countParser(1, 999_999_999),
    )
    .option('--fail-if-truncated', 'exit with 8 when there are more than are shown')
    .addOption(command.createOption('--all', `show all ${noun}`).conflicts('limit'));
}

/** How many items to show, and how many to ask the service for at a time. */
export function limitsOf(options: ListLimitOptions): { limit: number; pageSize: number } {
  const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? usualLimit);
  return { limit, pageSize: Math.min(limit, largestPage) };
}
