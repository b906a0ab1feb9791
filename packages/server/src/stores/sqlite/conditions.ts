import type { PageRange } from '../page-range';

/** The conditions of one query, all of which must hold, with the values of their parameters. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** Adds a condition and the values that its question marks stand for. */
  add(text: string, ...values: unknown[]): this {
    this.#texts.push(text);
    this.values.push(...values);
    return this;
  }

  /**
   * Adds the bounds of a page, as row values: behind equality columns, SQLite makes each an end of the
   * range of an index on (…, created_at, id), and compares no row with it.
   */
  addRange({ before, from }: PageRange): this {
    if (from !== null) this.add('(created_at, id) >= (?, ?)', from.createdAt, from.id);
    if (before !== null) this.add('(created_at, id) < (?, ?)', before.createdAt, before.id);
    return this;
  }

  /** What follows `WHERE`. */
  get sql(): string {
    return this.#texts.join(' AND ');
  }
}
