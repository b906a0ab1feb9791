import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

// Loaded with --import: after each pause between its steps, the process writes a line to stderr, just before the next step.
const { setTimeout } = timers;
timers.setTimeout = async (...args) => {
  const result = await setTimeout(...args);
  process.stderr.write('paused\n');
  return result;
};
syncBuiltinESMExports();
