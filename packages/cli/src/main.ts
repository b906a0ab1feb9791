import { setMaxListeners } from 'node:events';
import { fstatSync } from 'node:fs';
import process from 'node:process';
import { wait } from './context';
import { run } from './run';

const interrupt = new AbortController();
// Every request in flight may listen to it.
setMaxListeners(0, interrupt.signal);
// Ctrl-C, a service manager, a closed window.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The second Ctrl-C quits at once.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  });
}

// The writer gets a failed write through its callback. Without a listener the event would be a crash.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

const { stdout, stderr, env } = process;
void run(process.argv.slice(2), {
  // Opened on first use: it takes time, and can keep the process alive.
  stdin() {
    // Node reads a folder as empty input.
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
