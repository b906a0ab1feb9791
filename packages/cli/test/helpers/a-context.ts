import { Readable } from 'node:stream';
import type { CliContext } from '../../src/context';
import { FakeStream } from './fake-stream';

/** A context with pipes and without input; a test sets what matters to it. */
export function aContext(parts: Partial<CliContext> = {}): CliContext {
  const { now = () => 0 } = parts;
  return {
    stdin: () => Readable.from([]),
    stdout: new FakeStream(),
    stderr: new FakeStream(),
    env: {},
    signal: new AbortController().signal,
    now,
    elapsed: now,
    wait: async () => {},
    ...parts,
  };
}
