import type { PageRange, PageScan } from './page-bounds';

/** Builds the `WHERE` clause of a query: conditions that all must be true, and the values of their parameters. */
export class Conditions {
  readonly #texts: string[] = [];

  /** @param values Values of a statement that these conditions are a part of. Theirs are added. */
  constructor(readonly values: unknown[] = []) {}

  /** Adds a condition and the values of its parameters, which it has as `?`. */
  add(text: string, ...values: unknown[]): this {
    this.#texts.push(this.toText(text));
    this.values.push(...values);
    return this;
  }

  /**
   * Adds the bounds of a page as row values. After equality columns, a database uses each as an end of the range of an index on
   * (…, created_at, id), and compares no row with it.
   */
  addRange({ before, from }: PageRange): this {
    return this.addScan('created_at', { newestFirst: true, start: before, end: from });
  }

  /** The same for a list by `column` in either direction, of an index on (…, column, id). */
  addScan(column: string, { newestFirst, start, end }: PageScan): this {
    const [lower, upper] = newestFirst ? [end, start] : [start, end];
    const [above, below] = newestFirst ? ['>=', '<'] : ['>', '<='];
    const place = `(${this.timePlace}, ?)`;
    if (lower !== null) this.add(`(${column}, id) ${above} ${place}`, lower.createdAt, lower.id);
    if (upper !== null) this.add(`(${column}, id) ${below} ${place}`, upper.createdAt, upper.id);
    return this;
  }

  /** The text after `WHERE`. */
  get sql(): string {
    return this.#texts.join(' AND ');
  }

  /** The parameter of a time. */
  protected get timePlace(): string {
    return '?';
  }

  /** Returns a condition as the database understands it. Its values follow those that are there. */
  protected toText(text: string): string {
    return text;
  }
}

/** The same for PostgreSQL, which numbers parameters. */
export class NumberedConditions extends Conditions {
  /** Adds a value and returns its parameter, such as `$3`. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  protected override get timePlace(): string {
    return '?::bigint';
  }

  protected override toText(text: string): string {
    let place = this.values.length;
    return text.replaceAll('?', () => {
      place += 1;
      return `$${place}`;
    });
  }
}
