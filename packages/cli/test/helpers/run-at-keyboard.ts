import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { wait } from '../../src/context';
import { run } from '../../src/program';
import { FakeStream } from './fake-stream';
import type { CliResult } from './run-cli';

/** What a person types once stderr says something. `end` takes the keyboard away. */
export type Typing = readonly [sees: string, types: string | 'end'];

/** What a command line ended with, and what became of its keyboard. */
export interface KeyboardResult extends CliResult {
  /** Whether the keyboard is as it was: keys are shown again. */
  isRestored: boolean;
}

/** A keyboard that knows whether keys are shown as they are typed. */
class Keyboard extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }
}

/** Runs a command line with a person at stdin who responds to the prompts on stderr, in this order. */
export async function runAtKeyboard(
  argv: string[],
  typing: readonly Typing[],
  env: Record<string, string | undefined>,
  { signal = new AbortController().signal, columns = 100 } = {},
): Promise<KeyboardResult> {
  const keyboard = new Keyboard();
  const stdout = new FakeStream();
  const left = [...typing];
  let seen = 0;
  class Screen extends FakeStream {
    override _write(text: string, encoding: BufferEncoding, done: () => void): void {
      super._write(text, encoding, done);
      const [next] = left;
      if (next === undefined || !this.text.slice(seen).includes(next[0])) return;
      left.shift();
      seen = this.text.length;
      // As with people, the prompt is there before they type.
      setImmediate(() => (next[1] === 'end' ? keyboard.end() : keyboard.write(next[1])));
    }
  }
  const stderr = new Screen({ columns });
  const exitCode = await run(argv, {
    stdin: () => keyboard,
    stdout,
    stderr,
    env,
    signal,
    now: Date.now,
    elapsed: () => performance.now(),
    wait,
  });
  const isRestored = !keyboard.isRaw;
  return {
    exitCode,
    stdout: stdout.text,
    stderr: stripVTControlCharacters(stderr.text),
    isRestored,
  };
}
