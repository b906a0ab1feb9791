import type { PageRange, PageScan } from '../page-bounds';

/** Builds the `WHERE` clause of a query: conditions that all must be true, and the values of their parameters. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** Adds a condition and the values of its parameters. */
  add(text: string, ...values: unknown[]): this {
    this.#texts.push(text);
    this.values.push(...values);
    return this;
  }

  /**
   * Adds the bounds of a page as row values. After equality columns, SQLite uses each as an end of the range of an index on
   * (…, created_at, id), and compares no row with it.
   */
  addRange({ before, from }: PageRange): this {
    if (from !== null) this.add('(created_at, id) >= (?, ?)', from.createdAt, from.id);
    if (before !== null) this.add('(created_at, id) < (?, ?)', before.createdAt, before.id);
    return this;
  }

  /** The same for a list by `column` in either direction, of an index on (…, column, id). */
  addScan(column: string, { newestFirst, start, end }: PageScan): this {
    const [lower, upper] = newestFirst ? [end, start] : [start, end];
    const [above, below] = newestFirst ? ['>=', '<'] : ['>', '<='];
    if (lower !== null) this.add(`(${column}, id) ${above} (?, ?)`, lower.createdAt, lower.id);
    if (upper !== null) this.add(`(${column}, id) ${below} (?, ?)`, upper.createdAt, upper.id);
    return this;
  }

  /** The text after `WHERE`. */
  get sql(): string {
    return this.#texts.join(' AND ');
  }
}
