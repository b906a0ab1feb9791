import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

// Loaded with --import into a program that pauses between its steps. After pause number PAUSES it writes `paused` to stderr and does
// one more step. Then it hangs in its next pause until it is killed, so that a test on a busy machine kills it in time.
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
