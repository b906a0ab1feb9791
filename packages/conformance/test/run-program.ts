import { Writable } from 'node:stream';
import { createProgram } from '../src/commands/program';

class Output extends Writable {
  text = '';
  override _write(chunk: Buffer, _: string, done: () => void) {
    this.text += chunk.toString();
    done();
  }
}

/** Runs a command line in this process. `interrupt` is what a signal does. */
export function startProgram(args: readonly string[], env: Record<string, string> = {}) {
  const [stdout, stderr] = [new Output(), new Output()];
  const exits: number[] = [];
  let interrupt = () => {};
  const program = createProgram({
    env,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    onSignal: (handle) => {
      interrupt = handle;
    },
    exit: (code) => exits.push(code),
  });
  const ended = program(args).then((code) => ({ code, out: stdout.text, err: stderr.text }));
  return { ended, exits, interrupt: () => interrupt(), stderr };
}
/** Runs a command line to its end. */
export const runProgram = (args: readonly string[], env?: Record<string, string>) =>
  startProgram(args, env).ended;
