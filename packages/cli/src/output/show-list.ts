import type { Page } from '@tradepost/sdk';
import { CliError } from '../cli-error';
import type { OutputOptions } from '../global-options';
import type { Terminal } from '../terminal';
import { chooseFormat } from './choose-format';
import type { View } from './column';
import { note } from './note';
import { writeData } from './write';

/** A list to print. */
export interface ListToShow<Item> {
  /** Its pages, fetched while they are read. */
  pages: AsyncIterable<Page<Item>>;
  /** How many items to print at most; Infinity for all. */
  limit: number;
  /** What the items are called in notes, in the plural. */
  noun: string;
}

/** How a list is printed. */
interface ShowListOptions extends OutputOptions {
  /** Whether a list that has more is a failure. */
  failIfTruncated?: true;
}

/**
 * Prints a list on stdout page by page, in the format that was asked for; no more than one page is
 * held. Says on stderr when there are more items than were asked for.
 *
 * @throws {CliError} `truncated` in the end when there are more and that is to be a failure, and what
 * the list and the format throw.
 */
export async function showList<Item extends object>(
  { pages, limit, noun }: ListToShow<Item>,
  view: View<Item>,
  terminal: Terminal,
  options: ShowListOptions,
): Promise<void> {
  const format = await chooseFormat(options, view, terminal.stdout);
  let shown = 0;
  let moreExist = false;
  for await (const page of pages) {
    const items = page.data.slice(0, limit - shown);
    await writeData(terminal.stdout, format.part(items));
    shown += items.length;
    moreExist = items.length < page.data.length || page.nextCursor !== null;
    if (shown >= limit) break;
  }
  await writeData(terminal.stdout, format.end());
  if (moreExist) {
    const counted = shown === 1 ? singular(noun) : noun;
    if (options.failIfTruncated) {
      const hint = 'Add --all, or --limit N with a larger N.';
      throw new CliError(
        'truncated',
        `the list was cut after ${shown} ${counted}: more exist`,
        hint,
      );
    }
    note(terminal, `Showing ${shown} ${counted}; more exist: add --all or --limit N.`);
  } else if (shown === 0 && options.output === 'table') {
    note(terminal, `No ${noun} found.`);
  }
}

function singular(noun: string): string {
  return noun.replace(/ies$/, 'ys').replace(/s$/, '');
}
