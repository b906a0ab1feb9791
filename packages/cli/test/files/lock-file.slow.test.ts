import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFile } from '../../src/files/lock-file';
import { startLockProcess } from './start-lock-process';

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const aFile = () => join(aFolder(), 'result.ndjson');

/** Above what any system gives to a process. */
const gonePid = 999_999_999;

describe('a lock', () => {
  it('excludes a second holder until it is released', () => {
    const file = aFile();
    const release = lockFile(file);
    expect(() => lockFile(file)).toThrow(
      expect.objectContaining({
        code: 'file_failed',
        message: `${file} is in use by process ${process.pid} on ${hostname()}`,
        hints: [expect.stringContaining(`delete ${file}.lock`)],
      }),
    );
    release();
    expect(existsSync(`${file}.lock`)).toBe(false);
    lockFile(file)();
  });

  it('excludes another process, and names the holder', async () => {
    const file = aFile();
    const [one, other] = await Promise.all([startLockProcess(), startLockProcess()]);
    expect(await one.take(file)).toBe('taken');
    const rejected = `FILE is in use by process ${one.pid} on ${hostname()}`;
    expect(await other.take(file)).toBe(rejected);
    expect(await one.give(file)).toBe('given');
    expect(await other.take(file)).toBe('taken');
  });

  it('is the same for one file, whatever links lead to it', () => {
    const file = aFile();
    const folder = join(aFolder(), 'linked');
    symlinkSync(dirname(file), folder);
    const release = lockFile(file);
    expect(() => lockFile(join(folder, 'result.ndjson'))).toThrow(/is in use by/);
    writeFileSync(file, '');
    const link = `${file}.link`;
    symlinkSync(file, link);
    expect(() => lockFile(link)).toThrow(/is in use by/);
    release();
    lockFile(link)();
  });

  it('that stays empty is taken over after a while', () => {
    const file = aFile();
    writeFileSync(`${file}.lock`, '');
    expect(() => lockFile(file)).toThrow(/is in use by/);
    const long = new Date(Date.now() - 60_000);
    utimesSync(`${file}.lock`, long, long);
    lockFile(file)();
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('of a process that was killed is taken over', async () => {
    const file = aFile();
    const [one, other] = await Promise.all([startLockProcess(), startLockProcess()]);
    expect(await one.take(file)).toBe('taken');
    await one.kill();
    expect(existsSync(`${file}.lock`)).toBe(true);
    expect(await other.take(file)).toBe('taken');
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe(`${other.pid} ${hostname()}`);
  });

  it('is acquired by exactly one of many: a new one, and that of a killed process', async () => {
    const folder = aFolder();
    const processes = await Promise.all(Array.from({ length: 6 }, startLockProcess));
    for (let round = 0; round < 60; round += 1) {
      const file = join(folder, `file-${round}`);
      if (round % 3 > 0) writeFileSync(`${file}.lock`, `${gonePid} ${hostname()}`);
      const outcomes = await Promise.all(processes.map(({ take }) => take(file)));
      const takers = processes.filter((_, index) => outcomes[index] === 'taken');
      expect(takers).toHaveLength(1);
      expect(readFileSync(`${file}.lock`, 'utf8')).toBe(`${takers[0]?.pid} ${hostname()}`);
      await takers[0]?.give(file);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('with the ID of this process itself is taken over, since containers reuse IDs', () => {
    const file = aFile();
    writeFileSync(`${file}.lock`, `${process.pid} ${hostname()}`);
    const release = lockFile(file);
    expect(() => lockFile(file)).toThrow('is in use by');
    release();
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  it.each([
    '',
    'locked by Ada',
    '-1',
    '0',
    '1e3',
    ` ${gonePid}`,
    `${gonePid}\n`,
    '99999999999999999999',
    '4294967297',
    `${gonePid} another-machine`,
    '../../x',
  ])('with the content %j is kept for a person to check', (content) => {
    const file = aFile();
    writeFileSync(`${file}.lock`, content);
    expect(() => lockFile(file)).toThrow(`${file} is in use by `);
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe(content);
    expect(readdirSync(join(file, '..'))).toEqual(['result.ndjson.lock']);
  });

  it('that cannot be read is kept', () => {
    const file = aFile();
    mkdirSync(`${file}.lock`);
    expect(() => lockFile(file)).toThrow(`${file} is in use by another process`);
    expect(existsSync(`${file}.lock`)).toBe(true);
  });

  it('is kept if a process was killed during the takeover, and the hint explains it', () => {
    const file = aFile();
    writeFileSync(`${file}.lock`, String(gonePid));
    writeFileSync(`${file}.lock.${gonePid}`, '1');
    expect(() => lockFile(file)).toThrow(
      expect.objectContaining({ hints: [expect.stringContaining('.lock*')] }),
    );
  });

  it('is not released if it was deleted and taken by another process', () => {
    const file = aFile();
    const release = lockFile(file);
    writeFileSync(`${file}.lock`, '1 another-machine');
    release();
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('1 another-machine');
  });

  it('creates the folders that it needs, accessible only by their owner', () => {
    const file = join(aFolder(), 'state', 'tradepost', 'x');
    lockFile(file);
    expect(readdirSync(join(file, '..'))).toEqual(['x.lock']);
    if (process.platform !== 'win32') {
      expect(statSync(`${file}.lock`).mode & 0o777).toBe(0o600);
      expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    }
  });

  it('reports that it cannot be created', () => {
    const file = aFile();
    writeFileSync(file, 'no folder');
    for (const path of [join(file, 'x'), join(file, 'a', 'b'), 'a\0b']) {
      expect(() => lockFile(path)).toThrow(
        expect.objectContaining({
          code: 'file_unusable',
          message: expect.stringMatching(/^Cannot create a file there: /),
          hints: ['Nothing changed. Use a folder that you can write to.'],
        }),
      );
    }
  });
});
