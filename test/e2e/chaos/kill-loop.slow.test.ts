import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { runKillLoop } from './kill-loop/run-kill-loop';

/** The long form is `kill-loop-long.ts`, which also has the loop on PostgreSQL. */
const kills = 20;

it('a server that is killed repeatedly keeps every acknowledged change and invents none', async () => {
  const seed = randomInt(1_000_000);
  const { summary, violations } = await runKillLoop({
    database: 'sqlite',
    rounds: kills,
    seed,
    // Printed at once, so that the seed is known even if the test is interrupted.
    log: (line) => console.log(line),
  });
  const report = [`seed ${seed}`, ...violations.slice(0, 50)].join('\n');
  expect(violations, report).toEqual([]);
  expect(summary.kills, report).toBe(kills);
  // A delivery is repeated only if a kill comes between its response and its record, which may happen to none.
  expect(summary.arrivals, report).toBeGreaterThanOrEqual(summary.deliveries);
  // Otherwise the kills interrupted nothing and the loop proves nothing.
  expect(summary.broken, report).toBeGreaterThan(0);
}, 300_000);
