import { expect } from 'vitest';
import { SqliteDatabase } from '../../src/stores/sqlite/database';

/** A database that records the plan of every query. */
export class PlannedDatabase extends SqliteDatabase {
  readonly plans: string[] = [];

  override all<Row>(sql: string, ...values: unknown[]): Row[] {
    this.#explain(sql, values);
    return super.all<Row>(sql, ...values);
  }

  override tuples<Row extends unknown[]>(sql: string, ...values: unknown[]): Row[] {
    this.#explain(sql, values);
    return super.tuples<Row>(sql, ...values);
  }

  override tuple<Row extends unknown[]>(sql: string, ...values: unknown[]): Row | undefined {
    this.#explain(sql, values);
    return super.tuple<Row>(sql, ...values);
  }

  override get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    this.#explain(sql, values);
    return super.get<Row>(sql, ...values);
  }

  override run(sql: string, ...values: unknown[]): number {
    this.#explain(sql, values);
    return super.run(sql, ...values);
  }

  #explain(sql: string, values: unknown[]): void {
    const steps = super.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    this.plans.push(...steps.map(({ detail }) => detail));
  }
}

/** Expects neither a table scan nor a sort: the cost must depend on the result, not on the size of the table. */
export function expectDirect(plans: string[]): void {
  expect(plans.length).toBeGreaterThan(0);
  for (const step of plans) expect(step).not.toMatch(/SCAN (?!\d+-ROW VALUES CLAUSE)|TEMP B-TREE/);
}
