/**
 * The long form of the kill loop: `node --import tsx test/e2e/chaos/kill-loop-long.ts [--kills 200] [--seed N]`.
 * It ends with 0 when nothing was lost, and with 1 after a list of what was.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runKillLoop } from './kill-loop/run-kill-loop';

const shownAtMost = 50;

function readCount(name: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text)) return value;
  throw new Error(`--${name} must be an integer from 0 to 999999999, not ${text}.`);
}

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } },
});
const kills = readCount('kills', values.kills);
const seed = values.seed === undefined ? randomInt(1_000_000) : readCount('seed', values.seed);
const say = (line: string) => console.log(line);

const { faults, summary } = await runKillLoop({ kills, seed, say });
console.table(summary);
for (const fault of faults.slice(0, shownAtMost)) console.log(fault);
if (faults.length > shownAtMost) console.log(`… and ${faults.length - shownAtMost} more.`);
if (faults.length === 0) console.log(`nothing was lost over ${kills} kills (seed ${seed})`);
else console.log(`seed ${seed}: run it again with --kills ${kills} --seed ${seed}`);
// Left to end by itself, Node has been seen to wait for a handle of a killed server without end.
process.exit(faults.length === 0 ? 0 : 1);
