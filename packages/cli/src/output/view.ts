import type { OrderTotal, Page } from '@tradepost/sdk';
import type { StyleName } from './text';

export interface Format<Item> {
  /** Formats the next items of a list. A list may come in any number of parts. */
  formatItems(items: readonly Item[]): string | Promise<string>;
  end(): string | Promise<string>;
  formatItem(item: Item): string | Promise<string>;
}

export interface Column<Item> {
  title: string;
  /** The field that it shows. `--fields` finds the column by it. */
  field: keyof Item & string;
  /** The text of a row. The table escapes it. @default the field's value, `-` if it is null */
  text?: (item: Item) => string;
  align?: 'right';
  style?: (item: Item) => StyleName | null;
  /**
   * Cells that it has at least in a table. Columns of a steady width leave out the same ones in every list,
   * and stay aligned if rows arrive one by one. @default those of its title
   */
  minWidth?: number;
  /**
   * What happens on a narrow terminal: the column is left out, the last one first, or its text is
   * shortened, or wrapped within the column. A text is shortened and wrapped only after the columns on the
   * right of it were left out, and before those on its left are. @default the column stays whole
   */
  whenNarrow?: 'leave-out' | 'shorten' | 'wrap';
}

export interface View<Item> {
  /** The fields of CSV, in order, which `--fields` can select. JSON has every field of the response. */
  fields: readonly (keyof Item & string)[];
  /** The columns of a table; omitted for items that are only shown one at a time. */
  columns?: readonly Column<Item>[];
  /** Whether rows have exact times: a history, and rows that appear as things happen. */
  hasExactTimes?: true;
}

/** A page of a list, perhaps of one that was filtered. */
export interface ListPage<Item> extends Page<Item> {
  /** Whether its items were filtered here: the next pages may have none that is wanted. @default false */
  isFiltered?: boolean;
  /** How many items the whole list has, if the first page says it. */
  total?: OrderTotal;
}
