/** Loaded into a program by NODE_OPTIONS: at its end, it writes to stderr how much processor time it has used, in milliseconds. */
const { writeSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `\nprocessor time: ${Math.round((user + system) / 1_000)} ms\n`);
});
