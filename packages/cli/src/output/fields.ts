import { CliError } from '../cli-error';
import type { View } from './column';
import { fieldText } from './field-text';

/**
 * A view of some fields alone, in the order that they are named in: a column for each, whole.
 *
 * @param names the fields, separated by commas
 * @throws {CliError} `usage` for a name that is no field.
 */
export function narrowView<Item extends object>(view: View<Item>, names: string): View<Item> {
  const wanted = new Set(names.split(',').map((name) => name.trim()));
  const fields = Array.from(wanted, (name) => {
    const field = view.fields.find((known) => known === name);
    if (field !== undefined) return field;
    throw new CliError(
      'usage',
      `'${name}' is no field of what is printed here`,
      `The fields are ${view.fields.join(', ')}.`,
    );
  });
  const columns = fields.map((field) => {
    const known = view.columns.find((column) => column.field === field);
    return {
      title: known?.title ?? field.replaceAll(/(?=[A-Z])/g, ' ').toUpperCase(),
      field,
      text: (item: Item) => fieldText(item[field]),
      ...(known?.align === undefined ? {} : { align: known.align }),
      ...(known?.look === undefined ? {} : { look: known.look }),
    };
  });
  return { fields, columns };
}

/** The same thing with some of its fields alone, in that order. One that it does not have is null. */
export function pickFields<Item extends object>(
  item: Item,
  fields: readonly (keyof Item & string)[],
): Item {
  return Object.fromEntries(fields.map((field) => [field, item[field] ?? null])) as Item;
}
