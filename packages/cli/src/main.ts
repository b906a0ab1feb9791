import { setMaxListeners } from 'node:events';
import { fstatSync } from 'node:fs';
import process from 'node:process';
import { version } from '../package.json';
import { type CliContext, wait } from './context';

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
const context: CliContext = {
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
};
const argv = process.argv.slice(2);

if (argv.length === 1 && argv[0] === '--version') {
  // Scripts and installers call it: the parser is not loaded.
  stdout.write(`${version}\n`);
} else {
  void import('./program')
    .then(({ run }) => run(argv, context))
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
