import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { afterAll, describe, expect, test } from 'vitest';
import { ReusedDatabases, startPostgres } from '../helpers/postgres';
import { openPostgresDatabases } from './postgres-database';
import { runScenario } from './run-scenario';

const postgres = await startPostgres();
const openDatabase = openPostgresDatabases(new ReusedDatabases(postgres));
afterAll(postgres.stop);

/** Seeds of plans with crashes, faults, stops, changes of the clock and two workers, among others. */
const seeds = [4, 10, 14, 24, 25, 98];

describe('a simulated day of the engine on PostgreSQL', () => {
  test('keeps every invariant, whatever fails', async () => {
    let [attempts, delivered, failed, takeovers] = [0, 0, 0, 0];
    for (const seed of seeds) {
      const report = await runScenario(seed, { openDatabase });
      const command = `npm run simulate -- --database postgres --seed ${seed}`;
      expect(report.violations, `print the complete trace with: ${command}`).toEqual([]);
      attempts += report.attempts;
      delivered += report.delivered;
      failed += report.failed;
      takeovers += report.trace.filter((line) => line.endsWith('leases of dead workers')).length;
    }
    // Otherwise the invariants would not have been tested.
    expect(attempts).toBeGreaterThan(20 * seeds.length);
    expect(delivered).toBeGreaterThan(5 * seeds.length);
    expect(failed).toBeGreaterThan(seeds.length);
    expect(takeovers).toBeGreaterThan(0);
  }, 180_000);

  test('is the same each time for the same seed', async () => {
    const [one, other] = [
      await runScenario(98, { openDatabase }),
      await runScenario(98, { openDatabase }),
    ];
    expect(other.trace).toEqual(one.trace);
  }, 60_000);

  test('detects a store that forgets results', async () => {
    const alterStore = (deliveries: DeliveryStore) => ({
      ...deliveries,
      recordAttempts: async () => {},
    });
    const { violations } = await runScenario(98, { openDatabase, alterStore });
    expect(violations).not.toEqual([]);
  }, 60_000);
});
