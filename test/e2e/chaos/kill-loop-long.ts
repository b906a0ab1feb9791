/**
 * The long form of the kill loop:
 * `node --import tsx test/e2e/chaos/kill-loop-long.ts [--database sqlite|postgres] [--rounds 200] [--seed N]`.
 * Exits with 0 if the audit finds no violation. Otherwise it prints the violations and exits with 1.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { databases, runKillLoop } from './kill-loop/run-kill-loop';

const maxPrinted = 50;

function readCount(name: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text)) return value;
  throw new Error(`--${name} must be an integer from 0 to 999999999, not ${text}.`);
}

function readDatabase(text: string): (typeof databases)[number] {
  const database = databases.find((name) => name === text);
  if (database !== undefined) return database;
  throw new Error(`--database must be ${databases.join(' or ')}, not ${text}.`);
}

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '200' },
    // The name of the rounds of SQLite, each of which is a kill.
    kills: { type: 'string' },
    seed: { type: 'string' },
  },
});
const database = readDatabase(values.database);
const rounds =
  values.kills === undefined
    ? readCount('rounds', values.rounds)
    : readCount('kills', values.kills);
const seed = values.seed === undefined ? randomInt(1_000_000) : readCount('seed', values.seed);
const log = (line: string) => console.log(line);

const { violations, summary, report } = await runKillLoop({ database, rounds, seed, log });
console.table(summary);
if (report.length > 0) console.table(report);
for (const fault of violations.slice(0, maxPrinted)) console.log(fault);
if (violations.length > maxPrinted) console.log(`… and ${violations.length - maxPrinted} more.`);
if (violations.length === 0) console.log(`no violation in ${rounds} rounds (seed ${seed})`);
else console.log(`To repeat this run: --database ${database} --rounds ${rounds} --seed ${seed}`);
// Without this, Node has been seen to wait forever for a handle of a killed server.
process.exit(violations.length === 0 ? 0 : 1);
