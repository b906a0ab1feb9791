import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Loaded with --import: the process sends itself a signal at a certain call after it created its unfinished file.
// SIGNAL_AT is `SIGNAL:FUNCTION:COUNT`, such as `SIGKILL:renameSync:1` for just before the first rename.
const [signal, name, count] = (process.env.SIGNAL_AT ?? '').split(':');
const owner = name === 'setImmediate' ? globalThis : fs;
let left = Number(count);
let isStarted = false;

const { openSync } = fs;
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest);
  isStarted ||= String(path).endsWith('.partial');
  return descriptor;
};

const original = owner[name];
owner[name] = (...args) => {
  if (isStarted) {
    left -= 1;
    if (left === 0) process.kill(process.pid, signal);
  }
  return original(...args);
};
syncBuiltinESMExports();
