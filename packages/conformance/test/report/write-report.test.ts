import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createProgress } from '../../src/report/progress';
import { formatJson } from '../../src/report/report';
import { checkOutputs, writeReports } from '../../src/report/write-report';
import { aReport } from './a-report';

const report = aReport();

/** A stream with what a terminal has beside it, as far as reports look at it. */
function aStream(terminal: { isTTY?: true; columns?: number } = {}) {
  const stream = Object.assign(new PassThrough(), terminal);
  return stream as unknown as NodeJS.WriteStream & PassThrough;
}
const written = (stream: PassThrough) => String(stream.read() ?? '');

describe('writeReports', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('replaces files and creates folders', async () => {
    const file = join(folder, 'new', 'report.json');
    for (const _ of [1, 2]) await writeReports(report, [{ format: 'json', file }]);
    expect(await readFile(file, 'utf8')).toBe(formatJson(report));
  });

  test('names the file and the cause if it cannot write, and writes the others', async () => {
    const [taken, file] = [join(folder, 'taken'), join(folder, 'report.tap')];
    await mkdir(taken);
    const outputs = [taken, join(folder, 'report.tap', 'x'), file].map((path) => ({
      format: 'tap' as const,
      file: path,
    }));
    await writeReports(report, [{ format: 'tap', file }]);
    await expect(writeReports(report, outputs)).rejects.toThrow(
      /^Cannot write the report \S+taken: EISDIR.*\nCannot write the report \S+x: ENOTDIR.*$/,
    );
    expect(await readFile(file, 'utf8')).toMatch(/^TAP version 14/);
  });

  test('checks that files can be written before there is a report, and changes none', async () => {
    const [old, fresh] = [join(folder, 'old.json'), join(folder, 'new.json')];
    await writeFile(old, 'old');
    await checkOutputs([old, fresh].map((file) => ({ format: 'json' as const, file })));
    expect(await readFile(old, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['old.json']);
    await expect(checkOutputs([{ format: 'json', file: folder }])).rejects.toThrow(
      /^Cannot write the report .*EISDIR/,
    );
    // Below `/proc`, a recursive mkdir of Node never ends.
    for (const file of [join(old, 'below.json'), '/proc/absent/below.json']) {
      await expect(checkOutputs([{ format: 'json', file }])).rejects.toThrow(
        /^Cannot write the report .*below\.json/,
      );
    }
  });

  test('writes to stdout without colours on a pipe', async () => {
    const stdout = aStream();
    await writeReports(report, [{ format: 'text', file: null }], stdout);
    const text = written(stdout);
    expect(text).toMatch(/Every selected check passed\.\nExit code 0\.\n$/);
    expect(text).not.toContain('\u001b');
  });
});

describe('createProgress', () => {
  test('shows one line on a terminal, within its width, and erases it at the end', () => {
    const stream = aStream({ isTTY: true, columns: 30 });
    const progress = createProgress(stream);
    progress.phase('Waiting for retries of six webhooks');
    expect(written(stream).replace(/\d\.0/, '0.0')).toBe(
      '\u001b[1G\u001b[2K0.0 s  Waiting for retries of',
    );
    progress.end();
    progress.end();
    progress.phase('Too late');
    expect(written(stream)).toBe('\u001b[1G\u001b[2K');
  });

  test('redraws the seconds while nothing happens', () => {
    vi.useFakeTimers();
    try {
      const stream = aStream({ isTTY: true, columns: 80 });
      const progress = createProgress(stream);
      vi.advanceTimersByTime(12_000);
      expect(written(stream)).toMatch(/12 s {2}Starting$/);
      progress.end();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('shows nothing on a pipe', () => {
    const stream = aStream();
    const progress = createProgress(stream);
    progress.phase('Orders');
    progress.end();
    expect(written(stream)).toBe('');
  });
});
