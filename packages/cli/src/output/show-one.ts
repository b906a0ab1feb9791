import type { OutputOptions } from '../global-options';
import type { Terminal } from '../terminal';
import { chooseFormat } from './choose-format';
import type { View } from './column';
import { writeData } from './write';

/**
 * Prints a single thing on stdout, in the format that was asked for.
 *
 * @param item the thing, or what gets it: that is called once the format is known to be right, so
 * that wrong usage sends nothing
 */
export async function showOne<Item extends object>(
  item: Item | (() => PromiseLike<Item>),
  view: View<Item>,
  terminal: Terminal,
  options: OutputOptions,
): Promise<void> {
  const format = await chooseFormat(options, view, terminal.stdout);
  const shown = typeof item === 'function' ? await item() : item;
  await writeData(terminal.stdout, format.one(shown));
}
