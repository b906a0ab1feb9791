import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readInput } from '../../src/input/read-input';
import { aContext } from '../helpers/a-context';

describe('the input from stdin', () => {
  it('is every byte up to the end, even if a character is split between chunks', async () => {
    const bytes = Buffer.from('ord_1\r\nß\u{1f600}\0\xff', 'latin1');
    const stdin = () => Readable.from([...bytes].map((byte) => Buffer.of(byte)));
    expect(await readInput(aContext({ stdin }), 'the ids')).toEqual(bytes);
    expect(await readInput(aContext(), 'the ids')).toEqual(Buffer.of());
  });

  it('ends with an interruption while it waits, and releases stdin', async () => {
    const interrupt = new AbortController();
    const stdin = new PassThrough();
    stdin.write('ord_1\n');
    const context = aContext({ stdin: () => stdin, signal: interrupt.signal });
    const reading = readInput(context, 'the ids');
    interrupt.abort();
    await expect(reading).rejects.toMatchObject({
      code: 'interrupted',
      message: 'Interrupted. Nothing changed.',
    });
    expect(stdin.destroyed).toBe(true);
  });

  it('is not waited for when the interruption came before', async () => {
    const context = aContext({ stdin: () => new PassThrough(), signal: AbortSignal.abort() });
    await expect(readInput(context, 'the ids')).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is not read from a terminal', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    await expect(readInput(aContext({ stdin: () => stdin }), 'the ids')).rejects.toMatchObject({
      code: 'usage',
      message: 'Stdin is a terminal: the ids must come from a file or a pipe',
    });
    expect(stdin.listenerCount('readable') + stdin.listenerCount('data')).toBe(0);
  });

  it('is reported if it cannot be read, such as a folder', async () => {
    const stdin = () =>
      new Readable({ read: (): void => undefined }).destroy(
        Object.assign(new Error('EISDIR: illegal operation on a directory, read')),
      );
    await expect(readInput(aContext({ stdin }), 'the ids')).rejects.toMatchObject({
      code: 'input_unreadable',
      message: 'Cannot read stdin: illegal operation on a directory',
    });
  });
});
