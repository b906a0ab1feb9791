import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { faults } from './kill-loop/postgres-system';
import { type KillLoopOptions, runKillLoop } from './kill-loop/run-kill-loop';

/** The long form is `kill-loop-long.ts`. */
const kills = 20;

/** Runs a loop, and expects that it finds no violation. */
async function run(options: Omit<KillLoopOptions, 'seed' | 'log'>) {
  const seed = randomInt(1_000_000);
  // Printed at once, so that the seed is known even if the test is interrupted.
  const result = await runKillLoop({ ...options, seed, log: (line) => console.log(line) });
  const report = [`seed ${seed}`, ...result.violations.slice(0, 50)].join('\n');
  expect(result.violations, report).toEqual([]);
  // Otherwise the faults interrupted nothing and the loop proves nothing.
  expect(result.summary.broken, report).toBeGreaterThan(0);
  return { ...result, seed: report };
}

describe('a server that is killed repeatedly', () => {
  it('keeps every acknowledged change and invents none', async () => {
    const { summary, seed } = await run({ database: 'sqlite', rounds: kills });
    expect(summary.kills, seed).toBe(kills);
    expect(summary.arrivals, seed).toBeGreaterThan(summary.deliveries);
  }, 300_000);
});

describe('three APIs and three workers on PostgreSQL', () => {
  it('keep every acknowledged change over kills and faults of the database, and recover by themselves', async () => {
    const { report, seed } = await run({
      database: 'postgres',
      markets: 1,
      rounds: faults.length,
    });
    expect(report, seed).toHaveLength(faults.length);
  }, 300_000);
});
