import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readInput } from '../../src/input/read-input';
import { aTerminal } from '../setting/a-terminal';

describe('what is read from stdin', () => {
  it('is every byte up to the end, also where a character is split', async () => {
    const bytes = Buffer.from('ord_1\r\nß\u{1f600}\0\xff', 'latin1');
    const stdin = () => Readable.from([...bytes].map((byte) => Buffer.of(byte)));
    expect(await readInput(aTerminal({ stdin }), 'the ids')).toEqual(bytes);
    expect(await readInput(aTerminal(), 'the ids')).toEqual(Buffer.of());
  });

  it('ends with an interruption while it waits, and lets go of stdin', async () => {
    const interrupt = new AbortController();
    const stdin = new PassThrough();
    stdin.write('ord_1\n');
    const terminal = aTerminal({ stdin: () => stdin, signal: interrupt.signal });
    const reading = readInput(terminal, 'the ids');
    interrupt.abort();
    await expect(reading).rejects.toMatchObject({
      code: 'interrupted',
      message: 'interrupted: nothing was done',
    });
    expect(stdin.destroyed).toBe(true);
  });

  it('is not waited for when the interruption came before', async () => {
    const terminal = aTerminal({ stdin: () => new PassThrough(), signal: AbortSignal.abort() });
    await expect(readInput(terminal, 'the ids')).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is not asked of a person, who would not know what to type', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    await expect(readInput(aTerminal({ stdin: () => stdin }), 'the ids')).rejects.toMatchObject({
      code: 'usage',
      message: 'stdin is the keyboard: the ids come from a file or another command',
    });
    expect(stdin.listenerCount('readable') + stdin.listenerCount('data')).toBe(0);
  });

  it('says so when it cannot be read: a folder, say', async () => {
    const stdin = () =>
      new Readable({ read: (): void => undefined }).destroy(
        Object.assign(new Error('EISDIR: illegal operation on a directory, read')),
      );
    await expect(readInput(aTerminal({ stdin }), 'the ids')).rejects.toMatchObject({
      code: 'input_failed',
      message: 'stdin cannot be read: EISDIR: illegal operation on a directory, read',
    });
  });
});
