import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

// Loaded with --import: after as many pauses between its steps as PAUSES says, the process writes a line to stderr, and goes on. At
// the end of the next pause it stops, so that whoever waits for the line can kill it, however long that takes.
const { setTimeout } = timers;
let left = Number(process.env.PAUSES);

timers.setTimeout = async (...args) => {
  const result = await setTimeout(...args);
  left -= 1;
  if (left === 0) process.stderr.write('paused\n');
  if (left < 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return result;
};
syncBuiltinESMExports();
