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

const { stdout, stderr, env } = process;

/** Output that is lost is a failure, whoever wrote it; a reader that has gone, such as `head`, is none. */
function failOnLoss({ code }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') process.exitCode ||= 1;
}
stdout.on('error', failOnLoss);
stderr.on('error', failOnLoss);

// Node disables colours all the same (https://no-color.org: "when present and not an empty string").
if (env.NO_COLOR === '') delete env.NO_COLOR;

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

function start(): void {
  void import('./program')
    .then(({ run }) => run(argv, context))
    .then((exitCode) => {
      // A failure of the output may be known already.
      process.exitCode = exitCode || process.exitCode;
    });
}

if (argv.length === 1 && argv[0] === '--version') {
  // Scripts and installers call it: the parser is loaded only to report that it cannot be printed.
  stdout.write(`${version}\n`, (error) => {
    if (error) start();
  });
} else {
  start();
}
