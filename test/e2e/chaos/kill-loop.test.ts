import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { runKillLoop } from './kill-loop/run-kill-loop';

/** The long form is `kill-loop-long.ts`. */
const kills = 20;

it('loses nothing that was answered, and makes nothing up, however often the server is killed', async () => {
  const seed = randomInt(1_000_000);
  // Said at once: whoever loses patience with it must know the seed too.
  const { faults, summary } = await runKillLoop({ kills, seed, say: (line) => console.log(line) });
  const report = [`seed ${seed}`, ...faults.slice(0, 50)].join('\n');
  expect(faults, report).toEqual([]);
  // Else the kills hit nothing and the loop proves nothing.
  expect(summary.kills, report).toBe(kills);
  expect(summary.broken, report).toBeGreaterThan(0);
  expect(summary.arrivals, report).toBeGreaterThan(summary.deliveries);
}, 300_000);
