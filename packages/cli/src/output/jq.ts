import { compile } from '@michaelhomer/jqjs';
import { CliError } from '../cli-error';
import type { Format } from './format';
import { harmless, harmlessJson } from './harmless';

/** A compiled expression: what it makes of a JSON value, none or several values. */
type Filter = (value: unknown) => Iterable<unknown>;

function compiled(expression: string): Filter {
  try {
    return compile(expression);
  } catch (error) {
    throw new CliError(
      'usage',
      `--jq ${JSON.stringify(expression)} is no expression: ${reasonOf(error)}`,
      "An example: --jq '.[] | select(.quantity > 10) | .id'.",
    );
  }
}

/** Strings as they are, so that a script needs no quotes taken off; all else as JSON, on one line. */
function lineOf(value: unknown): string {
  return `${typeof value === 'string' ? harmless(value) : harmlessJson(JSON.stringify(value))}\n`;
}

/**
 * What a jq expression makes of the JSON, a line for each result. Of `json` it gets the whole list as
 * one array, of `ndjson` each item by itself, as it comes.
 *
 * @throws {CliError} `usage` for what is no expression, and while it formats `output_failed` for one
 * that does not fit the data.
 */
export function jqFormat<Item>(expression: string, output: 'json' | 'ndjson'): Format<Item> {
  const filter = compiled(expression);
  const all: Item[] = [];
  function apply(value: unknown): string {
    try {
      return Array.from(filter(value), lineOf).join('');
    } catch (error) {
      throw new CliError(
        'output_failed',
        `--jq ${JSON.stringify(expression)} does not fit what is printed: ${reasonOf(error)}`,
        'Leave --jq out and set --output json to see what it works on.',
      );
    }
  }
  return {
    part(items) {
      if (output === 'ndjson') return items.map(apply).join('');
      all.push(...items);
      return '';
    },
    end: () => (output === 'json' ? apply(all) : ''),
    one: apply,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
