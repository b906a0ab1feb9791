import type { Page } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { assertObject, CliError } from '../errors/cli-error';
import type { OutputOptions } from '../input/options';
import { getStyle, getTerminalWidth } from './text';
import type { Format, ListPage, View } from './view';

/** Describes the JSON of a view for help pages: `{ id, status }`. */
export function describeShape({ fields }: { fields: readonly string[] }): string {
  return `{ ${fields.join(', ')} }`;
}

/** Filters the items of pages, for filters that no service has. */
export async function* filterPages<Item>(
  pages: AsyncIterable<Page<Item>>,
  isWanted: (item: Item) => boolean,
): AsyncIterable<ListPage<Item>> {
  for await (const page of pages) {
    const data = page.data.filter((item) => isWanted(assertObject(item)));
    yield { ...page, data, isFiltered: true };
  }
}

/** Whether output is a table for a person, with the columns that the command chooses. */
export function isForPerson(
  { output, fields, jq }: OutputOptions,
  { stdout }: Pick<CliContext, 'stdout'>,
): boolean {
  return output === 'table' && fields === undefined && jq === undefined && stdout.isTTY === true;
}

/**
 * Loads the requested format, and no other. The format throws `invalid_response` for an item that is not
 * an object.
 *
 * @throws {CliError} `usage` for an unknown field, an invalid jq expression, or `--jq` without JSON
 */
export async function chooseFormat<Item extends object>(
  options: OutputOptions,
  view: View<Item>,
  context: CliContext,
): Promise<Format<Item>> {
  const narrow = options.fields === undefined ? null : selectFields(view, options.fields);
  const format = await loadFormat(options, narrow ?? view, context);
  const prepare = (item: Item) =>
    narrow === null ? assertObject(item) : pickFields(assertObject(item), narrow.fields);
  return {
    formatItems: (items) => format.formatItems(items.map(prepare)),
    end: () => format.end(),
    formatItem: (item) => format.formatItem(prepare(item)),
  };
}

async function loadFormat<Item extends object>(
  options: OutputOptions,
  view: View<Item>,
  context: CliContext,
): Promise<Format<Item>> {
  const { output, jq, excel, separator } = options;
  const { stdout, signal } = context;
  const isTerminal = stdout.isTTY === true;
  if (jq !== undefined) {
    if (output === 'table' || output === 'csv') {
      throw new CliError(
        'usage',
        `--jq needs JSON output, not ${output}`,
        'Omit --output, --excel and --separator, or set --output to json (one document) or ndjson (one item at a time).',
      );
    }
    return await (await import('./jq')).createJqFormat(jq, output, isTerminal, signal);
  }
  if (output !== 'csv' && (excel || separator !== undefined)) {
    const name = excel ? '--excel' : '--separator';
    throw new CliError('usage', `${name} needs CSV output, not ${output}`, 'Set --output to csv.');
  }
  switch (output) {
    case 'json':
      return (await import('./json')).createJsonFormat();
    case 'ndjson':
      return (await import('./json')).createNdjsonFormat();
    case 'csv': {
      const { createCsvFormat, chooseDialect } = await import('../lazy/csv-format');
      const times = excel ? (await import('./times')).createLocalTimes(options, context) : null;
      const dialect = chooseDialect(options, context.env);
      return createCsvFormat(view.fields, { isTerminal, times, ...dialect });
    }
    case 'table': {
      const { createTableFormat } = await import('./table');
      const times = isTerminal
        ? (await import('./times')).chooseTimes(options, context, view)
        : null;
      const width = getTerminalWidth(stdout);
      const table = createTableFormat<Item>(view.columns ?? [], width, getStyle(stdout), times);
      return { ...table, formatItem: (item) => table.formatItem(inOrder(item, view.fields)) };
    }
  }
}

/** Puts the fields of an item in the order of the help and of CSV. Those that this version does not know follow. */
function inOrder<Item extends object>(item: Item, fields: readonly (keyof Item & string)[]): Item {
  const known = fields.filter((field) => Object.hasOwn(item, field));
  return { ...(Object.fromEntries(known.map((field) => [field, item[field]])) as Item), ...item };
}

/** Reduces a view to some fields, in the given order, with a column for each that shows all of it. */
function selectFields<Item extends object>(view: View<Item>, names: string): View<Item> {
  const wanted = new Set(names.split(',').map((name) => name.trim()));
  const fields = Array.from(wanted, (name) => {
    const field = view.fields.find((known) => known === name);
    if (field !== undefined) return field;
    throw new CliError('usage', `Unknown field '${name}'. Fields: ${view.fields.join(', ')}`);
  });
  const columns = fields.map((field) => {
    const known = view.columns?.find((column) => column.field === field);
    return {
      title: known?.title ?? field.replaceAll(/(?=[A-Z])/g, ' ').toUpperCase(),
      field,
      ...(known?.align && { align: known.align }),
      ...(known?.style && { style: known.style }),
      // Only rows that appear one by one need it.
      ...(view.hasExactTimes && known?.minWidth && { minWidth: known.minWidth }),
      ...(/shorten|wrap/.test(known?.whenNarrow ?? '') && { whenNarrow: 'wrap' as const }),
    };
  });
  return { ...view, fields, columns };
}

function pickFields<Item extends object>(
  item: Item,
  fields: readonly (keyof Item & string)[],
): Item {
  return Object.fromEntries(fields.map((field) => [field, item[field] ?? null])) as Item;
}
