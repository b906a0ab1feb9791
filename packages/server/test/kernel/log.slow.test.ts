import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Child } from '../helpers/child';
import { Pipe, readLines } from '../helpers/pipe';
import { tempFile } from '../helpers/temp-folder';

interface Line {
  n: number;
  thread: 'main' | 'other';
  level: number;
  dropped?: number;
  msg: string;
}

/** The bundled program: it starts three times as fast as with a loader for TypeScript. It must be inside the package. */
const folder = fileURLToPath(
  new URL(`../../node_modules/.log-test-${process.pid}`, import.meta.url),
);
const file = pathToFileURL(`${folder}/log-process.mjs`);
/** Lines of about 200 bytes: less than the buffer of the log, and several times that of a pipe or socket. */
const lineCount = 2_000;
/** More lines than pipe and buffer can store. */
const overflowCount = 12_000;
/** In milliseconds. The exit waits half a second for a reader; the rest is for a slow machine. */
const maxExitMs = 10_000;

beforeAll(async () => {
  await build({
    config: false,
    entry: [fileURLToPath(new URL('./log-process.ts', import.meta.url))],
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    outDir: folder,
    skipNodeModulesBundle: true,
    target: 'node20',
    silent: true,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a child that is the only writer of a pipe, its stderr. */
function startOnPipe(pipe: Pipe): Child {
  const stderr = pipe.openWriter();
  const child = new Child({ file, stderr });
  closeSync(stderr);
  return child;
}

/** Sends a command to a child, and waits until it is done. */
async function sendCommand(child: Child, command: string): Promise<string> {
  child.write(command);
  return child.readLine();
}

const numbers = (lines: Line[], thread: Line['thread']) =>
  lines.filter((line) => line.thread === thread).map(({ n }) => n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test.each([
  ['pipe', () => startOnPipe(new Pipe())],
  ['socket', () => new Child({ file, stderr: 'unread' })],
])(
  'logging blocks neither the work nor the exit of a process while its stderr, a %s, is not read',
  async (_, start) => {
    const child = start();
    expect(await sendCommand(child, `log ${overflowCount}`)).toBe('logged');
    expect(await sendCommand(child, 'thread 5000')).toBe('as in a crash');
    const started = performance.now();
    expect(await child.finish()).toBe(0);
    expect(performance.now() - started).toBeLessThan(maxExitMs);
  },
);

test.each([
  ['pipe', () => startOnPipe(new Pipe())],
  ['socket', () => new Child({ file, stderr: 'unread' })],
])('a crash ends the process while its stderr, a %s, is not read', async (_, start) => {
  const child = start();
  expect(await sendCommand(child, `log ${overflowCount}`)).toBe('logged');
  const started = performance.now();
  child.write('throw 100');
  expect(await child.finish()).not.toBe(0);
  expect(performance.now() - started).toBeLessThan(maxExitMs);
});

test('a late reader finds how many lines were dropped', async () => {
  const child = new Child({ file, stderr: 'unread' });
  await sendCommand(child, `log ${overflowCount}`);
  const lines = await readLines<Line>(child.stderr, ({ dropped }) => dropped !== undefined);
  const kept = numbers(lines, 'main');
  expect(kept).toEqual(upTo(kept.length));
  expect(lines.at(-1)).toMatchObject({
    level: 40,
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    dropped: overflowCount - kept.length,
    msg: 'log lines dropped: stderr was not read fast enough',
  });
});

test('a process writes its last lines before it ends', async () => {
  const pipe = new Pipe();
  const child = startOnPipe(pipe);
  await sendCommand(child, `log ${lineCount}`);
  const reading = readLines<Line>(pipe.read());
  expect(await child.finish()).toBe(0);
  expect(numbers(await reading, 'main')).toEqual(upTo(lineCount));
});

test('a process that crashes writes its last lines first', async () => {
  const pipe = new Pipe();
  const child = startOnPipe(pipe);
  const reading = readLines<Line>(pipe.read(), ({ n }) => n === lineCount - 1);
  child.write(`throw ${lineCount}`);
  expect(numbers(await reading, 'main')).toEqual(upTo(lineCount));
});

test('a thread that crashes writes its last lines first, and threads do not mix their lines', async () => {
  const pipe = new Pipe();
  const child = startOnPipe(pipe);
  await sendCommand(child, `log ${lineCount}`);
  const reading = readLines<Line>(pipe.read());
  expect(await sendCommand(child, `thread ${lineCount}`)).toBe('as in a crash');
  expect(await child.finish()).toBe(0);
  const lines = await reading;
  expect(numbers(lines, 'main')).toEqual([...upTo(lineCount), ...upTo(lineCount)]);
  expect(numbers(lines, 'other')).toEqual(upTo(lineCount));
});

test.runIf(process.platform === 'linux')(
  'a full disk ends neither the process nor a thread',
  async () => {
    const stderr = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(stderr));
    const child = new Child({ file, stderr });
    expect(await sendCommand(child, `log ${overflowCount}`)).toBe('logged');
    expect(await sendCommand(child, 'thread 10')).toBe('as in a crash');
    expect(await child.finish()).toBe(0);
  },
);

test('a reader that disconnects ends neither the process nor a thread', async () => {
  const pipe = new Pipe();
  const child = startOnPipe(pipe);
  await sendCommand(child, 'log 1');
  pipe.closeReader();
  expect(await sendCommand(child, `log ${overflowCount}`)).toBe('logged');
  expect(await sendCommand(child, 'thread 10')).toBe('as in a crash');
  expect(await child.finish()).toBe(0);
});

test('the log keeps its order in a file that it shares with stdout', () => {
  const path = tempFile('output');
  const output = openSync(path, 'w');
  const input = 'log 2\nlog 1\n';
  spawnSync(process.execPath, [fileURLToPath(file)], {
    stdio: ['pipe', output, output],
    input,
  });
  closeSync(output);
  const shown = readFileSync(path, 'utf8').trim().split('\n');
  const kinds = shown.map((text) => (text === 'logged' ? text : JSON.parse(text).msg));
  expect(kinds).toEqual(['line', 'line', 'logged', 'line', 'logged']);
});

test('the log redacts keys and secrets', async () => {
  const child = new Child({ file, stderr: 'unread' });
  await sendCommand(child, 'secrets');
  const [line] = await readLines<Line>(child.stderr, () => true);
  expect(JSON.stringify(line)).not.toContain('hush');
  expect(line).toMatchObject({ apiKey: '[Redacted]', webhook: { secret: '[Redacted]' } });
});
