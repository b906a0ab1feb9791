import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { PageRange, PageScan } from '../page-bounds';

/** Builds the `WHERE` clause of a query: conditions that all must be true, and the values of their parameters. */
export class Conditions {
  readonly values: unknown[];
  readonly #texts: string[] = [];

  /** @param values Values of a statement that these conditions are a part of. Theirs are added. */
  constructor(values: unknown[] = []) {
    this.values = values;
  }

  /** Adds a condition and the values of its parameters, which it has as `?`. */
  add(text: string, ...values: unknown[]): this {
    let next = this.values.length;
    this.values.push(...values);
    this.#texts.push(
      text.replaceAll('?', () => {
        next += 1;
        return `$${next}`;
      }),
    );
    return this;
  }

  /** Adds the bounds of a page as row values, which are a range of an index on (…, created_at, id). */
  addRange({ before, from }: PageRange): this {
    if (from !== null) this.add('(created_at, id) >= (?::bigint, ?)', from.createdAt, from.id);
    if (before !== null) this.add('(created_at, id) < (?::bigint, ?)', before.createdAt, before.id);
    return this;
  }

  /** The same for a list by `column` in either direction, of an index on (…, column, id). */
  addScan(column: string, { newestFirst, start, end }: PageScan): this {
    const [lower, upper] = newestFirst ? [end, start] : [start, end];
    const [above, below] = newestFirst ? ['>=', '<'] : ['>', '<='];
    const add = (operator: string, { createdAt, id }: PageKey) =>
      this.add(`(${column}, id) ${operator} (?::bigint, ?)`, createdAt, id);
    if (lower !== null) add(above, lower);
    if (upper !== null) add(below, upper);
    return this;
  }

  /** Adds a value and returns its parameter, such as `$3`. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** The text after `WHERE`. */
  get sql(): string {
    return this.#texts.join(' AND ');
  }
}
