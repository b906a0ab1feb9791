import { Writable } from 'node:stream';
import { createProgram } from '../../src/commands/program';

/** What a command printed. */
export interface Output {
  stdout: string;
  stderr: string;
}

/** Runs a command of the operator in this process. Rejects with its error. */
export async function runCommand(database: string, ...args: string[]): Promise<Output> {
  const output = { stdout: '', stderr: '' };
  const collect = (name: keyof Output) =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += chunk;
        done();
      },
    });
  const streams = { stdout: collect('stdout'), stderr: collect('stderr') };
  const command = ['node', 'tradepost-server', ...args, '--database', database];
  await createProgram(streams).parseAsync(command);
  return output;
}

/** The same with `--json`. Returns the document. */
export async function runJson<Result>(database: string, ...args: string[]): Promise<Result> {
  const { stdout } = await runCommand(database, ...args, '--json');
  return JSON.parse(stdout) as Result;
}
