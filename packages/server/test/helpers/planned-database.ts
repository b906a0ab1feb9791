import { expect } from 'vitest';
import { SqliteDatabase } from '../../src/stores/sqlite/database';

/** A database that keeps the plan of every query that is made of it. */
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

/** Neither a walk through a whole table nor a sort: the cost grows with what is asked for, not with what is kept. */
export function expectDirect(plans: string[]): void {
  expect(plans.length).toBeGreaterThan(0);
  for (const step of plans) expect(step).not.toMatch(/SCAN|TEMP B-TREE/);
}
