import { checkRecord } from '../check-record';
import { CliError } from '../cli-error';
import type { OutputOptions } from '../global-options';
import type { OutputStream } from '../terminal';
import type { View } from './column';
import type { Format } from './format';
import { styleOf } from './style';

/**
 * Loads the format that was asked for, and only that one. It throws `wrong_answer` for an item that is
 * no object.
 *
 * @throws {CliError} `usage` for a field that there is not, an expression that is not jq, or one for
 * something that is not printed as JSON.
 */
export async function chooseFormat<Item extends object>(
  options: OutputOptions,
  view: View<Item>,
  stdout: OutputStream,
): Promise<Format<Item>> {
  if (options.fields === undefined) {
    return picking(await formatOf(options, view, stdout), checkRecord);
  }
  const { narrowView, pickFields } = await import('./fields');
  const narrow = narrowView(view, options.fields);
  const format = await formatOf(options, narrow, stdout);
  return picking(format, (item) => pickFields(checkRecord(item), narrow.fields));
}

/** A format that makes something of each item first. */
function picking<Item>(format: Format<Item>, pick: (item: Item) => Item): Format<Item> {
  return {
    part: (items) => format.part(items.map(pick)),
    end: () => format.end(),
    one: (item) => format.one(pick(item)),
  };
}

async function formatOf<Item extends object>(
  { output, jq }: OutputOptions,
  view: View<Item>,
  stdout: OutputStream,
): Promise<Format<Item>> {
  if (jq !== undefined) {
    if (output === 'table' || output === 'csv') {
      throw new CliError(
        'usage',
        `--jq works on JSON, not on ${output}`,
        'Leave --output out, or set it to json (one document) or ndjson (each item by itself).',
      );
    }
    return await (await import('./jq')).jqFormat(jq, output, stdout.isTTY === true);
  }
  switch (output) {
    case 'json':
      return (await import('./json')).jsonFormat();
    case 'ndjson':
      return (await import('./ndjson')).ndjsonFormat();
    case 'csv':
      return (await import('./csv')).csvFormat(view.fields, stdout.isTTY === true);
    case 'table': {
      const { tableFormat } = await import('./table');
      // Some terminals say that they are 0 cells wide: they do not know.
      const available = (stdout.isTTY === true && stdout.columns) || Number.POSITIVE_INFINITY;
      return tableFormat(view.columns, available, styleOf(stdout));
    }
  }
}
