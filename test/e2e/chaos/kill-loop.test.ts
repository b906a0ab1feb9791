import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runKillLoop } from './kill-loop/run-kill-loop';

/** The long form is `kill-loop-long.ts`. */
const kills = 20;

describe('a server that is killed repeatedly', () => {
  it('keeps every acknowledged change and invents none', async () => {
    const seed = randomInt(1_000_000);
    // Printed at once, so that the seed is known even if the test is interrupted.
    const { violations, summary } = await runKillLoop({
      kills,
      seed,
      log: (line) => console.log(line),
    });
    const report = [`seed ${seed}`, ...violations.slice(0, 50)].join('\n');
    expect(violations, report).toEqual([]);
    // Otherwise the kills interrupted nothing and the loop proves nothing.
    expect(summary.kills, report).toBe(kills);
    expect(summary.broken, report).toBeGreaterThan(0);
    expect(summary.arrivals, report).toBeGreaterThan(summary.deliveries);
  }, 300_000);
});
