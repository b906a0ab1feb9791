import process from 'node:process';
import { run } from './run';

const interrupt = new AbortController();
process.on('SIGINT', () => {
  // Whoever presses Ctrl-C twice will not wait for a tidy end.
  if (interrupt.signal.aborted) process.exit(130);
  interrupt.abort();
});

// A write that fails is told to whoever wrote. As an event with no listener it would be a crash.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: interrupt.signal,
});
