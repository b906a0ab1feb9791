import { setMaxListeners } from 'node:events';
import { fstatSync } from 'node:fs';
import process from 'node:process';
import { run } from './run';
import { wait } from './wait';

const interrupt = new AbortController();
// Each of many that are under way may listen to it.
setMaxListeners(0, interrupt.signal);
// Ctrl-C, a service manager that stops it, a window that is closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Whoever presses Ctrl-C twice will not wait for a tidy end.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  });
}

// A write that fails is told to whoever wrote. As an event with no listener it would be a crash.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

const { stdout, stderr, env } = process;
void run(process.argv.slice(2), {
  // Not touched before a command reads it: that takes time, and can keep the process alive.
  stdin() {
    // Node takes it for an empty one.
    if (fstatSync(0).isDirectory()) process.stdin.destroy(new Error('it is a folder'));
    return process.stdin;
  },
  stdout,
  stderr,
  env,
  signal: interrupt.signal,
  now: Date.now,
  elapsed: () => performance.now(),
  wait,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
