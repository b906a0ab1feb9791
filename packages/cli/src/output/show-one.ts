import type { OutputOptions } from '../global-options';
import type { Terminal } from '../terminal';
import { chooseFormat } from './choose-format';
import type { View } from './column';
import { writeData } from './write';

/** Prints a single thing on stdout, in the format that was asked for. */
export async function showOne<Item extends object>(
  item: Item,
  view: View<Item>,
  terminal: Terminal,
  options: OutputOptions,
): Promise<void> {
  const format = await chooseFormat(options, view, terminal.stdout);
  await writeData(terminal.stdout, format.one(item));
}
