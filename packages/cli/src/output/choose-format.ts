import type { OutputFormat } from '../global-options';
import type { OutputStream } from '../terminal';
import type { View } from './column';
import type { Format } from './format';
import { styleOf } from './style';

/** Loads the format that was asked for, and only that one. */
export async function chooseFormat<Item extends object>(
  name: OutputFormat,
  view: View<Item>,
  stdout: OutputStream,
): Promise<Format<Item>> {
  switch (name) {
    case 'json':
      return (await import('./json')).jsonFormat();
    case 'ndjson':
      return (await import('./ndjson')).ndjsonFormat();
    case 'csv':
      return (await import('./csv')).csvFormat(view.fields);
    case 'table': {
      const { tableFormat } = await import('./table');
      // Some terminals say that they are 0 cells wide: they do not know.
      const available = (stdout.isTTY === true && stdout.columns) || Number.POSITIVE_INFINITY;
      return tableFormat(view.columns, available, styleOf(stdout));
    }
  }
}
