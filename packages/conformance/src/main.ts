import process from 'node:process';
import { createProgram } from './commands/program';

process.exitCode = await createProgram({
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  onSignal(handle) {
    process.on('SIGINT', handle);
    process.on('SIGTERM', handle);
  },
  exit: (code) => process.exit(code),
})(process.argv.slice(2));
