import type { Order, OrderExpansions } from '@tradepost/sdk';
import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { assertObject } from '../../errors/cli-error';
import type { OutputOptions } from '../../input/options';
import { isForPerson } from '../../output/format';
import { formatField, type StyleName } from '../../output/text';
import type { Column, View } from '../../output/view';

/** An order, with the names of its accounts and the title of its listing if they were requested. */
export interface NamedOrder extends Order {
  buyerName?: string;
  sellerName?: string;
  agentName?: string | null;
  listingTitle?: string | null;
}

/** The field of each name, by the field of the ID. */
export const nameFields = {
  listingId: 'listingTitle',
  buyerId: 'buyerName',
  sellerId: 'sellerName',
  agentId: 'agentName',
} as const;

/** Whether a field is an ID that has a name. */
export function hasName(field: string): field is keyof typeof nameFields {
  return field in nameFields;
}

export function placeNames(order: Order & Partial<OrderExpansions>): NamedOrder {
  const { buyer, seller, agent, listing, ...own } = assertObject(order);
  const names = {
    listingTitle: listing?.title,
    buyerName: buyer?.name,
    sellerName: seller?.name,
    agentName: agent === null ? null : agent?.name,
  };
  const fields = Object.entries(own).flatMap(([field, value]) => {
    const nameField = hasName(field) ? nameFields[field] : null;
    const name = nameField === null ? undefined : names[nameField];
    return name === undefined
      ? [[field, value] as const]
      : [[field, value] as const, [nameField, name] as const];
  });
  return Object.fromEntries(fields) as NamedOrder;
}

/** Whether names are requested: always, if the service has them, or never. */
export type NamesMode = 'always' | 'if-supported' | 'never';

/** Decides whether to request names: on a terminal and where `--names` or `--fields` ask for them. */
export function chooseNames(
  options: OutputOptions & { names?: boolean },
  context: Pick<CliContext, 'stdout'>,
): NamesMode {
  const selected = options.fields?.split(',').map((field) => field.trim());
  const isSelected = Object.values(nameFields).some((field) => selected?.includes(field));
  if (options.names || isSelected) return 'always';
  return options.names === undefined && isForPerson(options, context) ? 'if-supported' : 'never';
}

/** Returns the option that asks for names, as errors call it; null without names. */
export function toNamesOption(
  mode: NamesMode,
  { names }: { names?: boolean },
): { option?: string } | null {
  if (mode === 'never') return null;
  if (mode === 'if-supported') return {};
  return { option: names ? '--names' : 'a name in --fields' };
}

export function addNamesOption(command: Command): Command {
  return command
    .option('--names', 'show names of accounts and titles of listings; on a terminal by default')
    .option('--no-names', 'show IDs only');
}

export const namesNote =
  'Names are an extension of the API: where a service does not have them, a terminal shows IDs, and --names is an error.';

/** A map, since a service may add statuses. */
const styles: ReadonlyMap<string, StyleName> = new Map([
  ['pending', 'yellow'],
  ['confirmed', 'cyan'],
  ['fulfilling', 'blue'],
  ['completed', 'green'],
  ['cancelled', 'dim'],
]);

const mainColumns: readonly Column<NamedOrder>[] = [
  { title: 'ID', field: 'id' },
  { title: 'STATUS', field: 'status', style: ({ status }) => styles.get(status) ?? null },
  { title: 'CREATED', field: 'createdAt', minWidth: 10, whenNarrow: 'leave-out' },
];

type IdColumn = Column<NamedOrder> & { field: keyof typeof nameFields };

const buyerColumn: IdColumn = { title: 'BUYER', field: 'buyerId', whenNarrow: 'leave-out' };

const quantityColumn: Column<NamedOrder> = {
  title: 'QUANTITY',
  field: 'quantity',
  align: 'right',
  whenNarrow: 'leave-out',
};

const otherIdColumns: readonly IdColumn[] = [
  { title: 'LISTING', field: 'listingId', whenNarrow: 'leave-out' },
  { title: 'SELLER', field: 'sellerId', whenNarrow: 'leave-out' },
  // Without an agent it would be shown where others are not.
  { title: 'AGENT', field: 'agentId', minWidth: 12, whenNarrow: 'leave-out' },
];

export const orderView: View<NamedOrder> = {
  fields: [
    'id',
    'status',
    'buyerId',
    'sellerId',
    'agentId',
    'listingId',
    'quantity',
    'createdAt',
    'updatedAt',
  ],
  columns: [...mainColumns, buyerColumn, quantityColumn, ...otherIdColumns],
};

/** Has names in the columns of the IDs, as far as the service sent them. */
export const namedOrderView: View<NamedOrder> = {
  fields: orderView.fields.flatMap((field) =>
    hasName(field) ? [field, nameFields[field]] : [field],
  ),
  columns: [
    ...mainColumns,
    { ...withName(buyerColumn), whenNarrow: 'shorten' },
    quantityColumn,
    ...otherIdColumns.map(withName),
  ],
};

function withName(column: IdColumn): Column<NamedOrder> {
  return {
    ...column,
    text: (order) => order[nameFields[column.field]] ?? formatField(order[column.field]),
  };
}

/** Below this width, in cells, a table of orders has no room for names beside their other columns. */
export const minNamesWidth = 80;

/** Shows the time of the last change, also on a narrow terminal, instead of that of the creation. */
export function withLastChange({ fields, columns = [] }: View<NamedOrder>): View<NamedOrder> {
  return {
    fields,
    columns: columns.map((column) =>
      column.field === 'createdAt'
        ? { title: 'UPDATED', field: 'updatedAt', minWidth: 10 }
        : column,
    ),
  };
}
