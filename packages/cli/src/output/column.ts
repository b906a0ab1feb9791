import type { Look } from './style';

/** One column of a table. */
export interface Column<Item> {
  /** The heading. */
  title: string;
  /** The field that it is about: `--fields` finds the column by it. */
  field: keyof Item & string;
  /** What a row shows in this column. It may hold anything: the table makes it harmless. */
  text: (item: Item) => string;
  /** Which side the text keeps to: `left` unless told. Numbers go right. */
  align?: 'right';
  /** The colour of a row's text, where there are colours; null for none. */
  look?: (item: Item) => Look | null;
  /**
   * What happens when the terminal is too narrow: the column is left out, the last one first, or
   * its text is shortened. One that says nothing always stays whole.
   */
  whenNarrow?: 'leave-out' | 'shorten';
}

/** How things of one kind are shown. */
export interface View<Item> {
  /** The fields of CSV, in order, and those that `--fields` may name. JSON has every field that the service sends. */
  fields: readonly (keyof Item & string)[];
  /** The columns of a table, in order; none for what is only ever shown alone. */
  columns: readonly Column<Item>[];
}
