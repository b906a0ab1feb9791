import { closeSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { LogDestination } from '../../src/kernel/log';
import { Pipe, readLines } from '../helpers/pipe';

interface Line {
  writer?: string;
  n?: number;
  dropped?: number;
  errorCode?: string;
}

/** In milliseconds: far more than a bounded wait takes. */
const inTime = 5_000;

function openDestination(pipe: Pipe): LogDestination {
  const fd = pipe.openWriter('nonBlocking');
  onTestFinished(() => closeSync(fd));
  return new LogDestination({
    fd,
    formatDropNotice: (dropped, errorCode) => `${JSON.stringify({ dropped, errorCode })}\n`,
  });
}

/** Writes numbered lines of slightly more than `size` bytes. */
function writeLines(destination: LogDestination, count: number, size = 150, writer = 'a'): void {
  for (let n = 0; n < count; n += 1) {
    destination.write(`${JSON.stringify({ writer, n, filler: 'é'.repeat(size / 2) })}\n`);
  }
}

const numbers = (lines: Line[], writer = 'a') =>
  lines.filter((line) => line.writer === writer).map(({ n }) => n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('the destination writes what did not fit into a full pipe once it is read, in order', async () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  writeLines(destination, 2_000);
  const lines = await readLines<Line>(pipe.read(), ({ n }) => n === 1_999);
  expect(numbers(lines)).toEqual(upTo(2_000));
});

test('the destination drops lines beyond its buffer, reports how many, and accepts lines again', async () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  writeLines(destination, 20_000);
  const stream = pipe.read();
  const reading = readLines<Line>(stream, ({ writer }) => writer === 'later');
  const report = readLines<Line>(stream, ({ dropped }) => dropped !== undefined);
  const notice = (await report).at(-1);
  writeLines(destination, 1, 150, 'later');
  const lines = await reading;

  const kept = numbers(lines);
  expect(kept.length).toBeGreaterThan(4_000);
  expect(kept).toEqual(upTo(kept.length));
  expect(notice).toEqual({ dropped: 20_000 - kept.length, errorCode: 'EAGAIN' });
  expect(lines.slice(-2)).toMatchObject([notice, { writer: 'later', n: 0 }]);
});

test('the destination drops and reports a line that is longer than its buffer', async () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  writeLines(destination, 1_000);
  destination.write(`"${'x'.repeat(2_000_000)}"\n`);
  const lines = await readLines<Line>(pipe.read(), ({ dropped }) => dropped !== undefined);
  expect(numbers(lines)).toEqual(upTo(1_000));
  expect(lines.at(-1)).toEqual({ dropped: 1, errorCode: 'EAGAIN' });
});

test('the destination writes a line in parts that is longer than the pipe', async () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  writeLines(destination, 1, 200_000);
  writeLines(destination, 1, 150, 'later');
  const lines = await readLines<Line>(pipe.read(), ({ writer }) => writer === 'later');
  expect(lines).toMatchObject([{ writer: 'a', n: 0, filler: 'é'.repeat(100_000) }, { n: 0 }]);
});

test('two destinations on one pipe never mix their lines', async () => {
  const pipe = new Pipe();
  const [first, second] = [openDestination(pipe), openDestination(pipe)];
  for (const size of [20, 900, 3_900]) {
    writeLines(first, 100, size, `first ${size}`);
    writeLines(second, 100, size, `second ${size}`);
  }
  let ended = 0;
  const isLast = ({ writer, n }: Line) => n === 99 && /3900/.test(writer ?? '') && ++ended === 2;
  const lines = await readLines<Line>(pipe.read(), isLast);
  const writers = new Set(lines.map(({ writer }) => writer));
  expect(writers.size).toBe(6);
  for (const writer of writers) expect(numbers(lines, writer)).toEqual(upTo(100));
});

test('the destination waits for the next reader when a reader disconnects', async () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  pipe.closeReader();
  writeLines(destination, 100);
  pipe.reopenReader();
  const lines = await readLines<Line>(pipe.read(), ({ n }) => n === 99);
  expect(numbers(lines)).toEqual(upTo(100));
});

test('the destination reports the error that caused lost lines', async () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  pipe.closeReader();
  writeLines(destination, 20_000);
  pipe.reopenReader();
  const lines = await readLines<Line>(pipe.read(), ({ dropped }) => dropped !== undefined);
  expect(lines.at(-1)).toEqual({ dropped: 20_001 - lines.length, errorCode: 'EPIPE' });
});

test('the flush at exit ends in time without a reader', () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  writeLines(destination, 2_000);
  const started = performance.now();
  destination.flushAtExit(100);
  expect(performance.now() - started).toBeGreaterThanOrEqual(100);
  expect(performance.now() - started).toBeLessThan(inTime);
  pipe.closeReader();
});

test('the flush at exit does not wait after a permanent error', () => {
  const pipe = new Pipe();
  const destination = openDestination(pipe);
  pipe.closeReader();
  writeLines(destination, 100);
  const started = performance.now();
  destination.flushAtExit(60_000);
  expect(performance.now() - started).toBeLessThan(inTime);
});
