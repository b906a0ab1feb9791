// Loaded with --import: the process kills itself at a statement that writes to its database, BEGIN and COMMIT included.
// KILL_AT is `before:57` or `after:57`, for just before or just after the 57th one.
import { writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const [when, count] = process.env.KILL_AT.split(':');
let left = Number(count);

function kill({ source }) {
  writeSync(1, `killed ${when} ${source.trim().split(/\s/)[0]}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
const { run } = statement;
statement.run = function (...values) {
  left -= 1;
  if (left === 0 && when === 'before') kill(this);
  const result = run.apply(this, values);
  if (left === 0 && when === 'after') kill(this);
  return result;
};
