import { createServer } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { runAll } from '../support/run-all';
import { runCli } from '../support/run-cli';
import { startOnTerminal } from '../support/start-on-terminal';
import { startSeededServer } from '../support/start-seeded-server';

it('help, version, topics, completion and logins touch no service', async () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.once('data', () => socket.destroy());
  });
  const port = await new Promise<number>((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  onTestFinished(() => {
    listener.close();
  });
  const env = { TRADEPOST_BASE_URL: `http://127.0.0.1:${port}`, TRADEPOST_API_KEY: 'tpk_x' };
  const quiet = [
    '--help',
    '--version',
    'webhooks --help',
    'orders set-status --help',
    'help output',
    'help exit-codes',
    'completion bash',
    'complete -- orders list --status ',
    'profiles list',
  ];
  await runAll(quiet, async (line) => {
    expect(await runCli(line.split(' '), env)).toMatchObject({ code: 0 });
  });
  expect(connections).toBe(0);
  // The counter counts: what does ask comes to it.
  expect(
    (
      await runCli(
        ['webhooks', 'register', '--url', 'https://a.example', '--events', 'task.completed'],
        env,
      )
    ).code,
  ).toBe(9);
  expect(connections).toBeGreaterThan(0);
}, 120_000);

it('colours are shown on a terminal that has them, and where they are asked for', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const key = seeded.environmentOf(seeded.seller);
  const argv = ['orders', 'list', '--status', 'pending'];
  const plain = (await runCli(argv, key)).stdout;
  const onPipe = async (more: Record<string, string>) =>
    (await runCli(argv, { ...key, ...more })).stdout;
  const onTerminal = async (more: Record<string, string>) =>
    (await startOnTerminal(argv, { env: { ...key, ...more }, columns: 250 }).exit).raw.replaceAll(
      '\r\n',
      '\n',
    );
  const cases: [
    (more: Record<string, string>) => Promise<string>,
    Record<string, string>,
    boolean,
  ][] = [
    [onPipe, {}, false],
    [onPipe, { FORCE_COLOR: '0' }, false],
    [onPipe, { FORCE_COLOR: '1' }, true],
    [onPipe, { FORCE_COLOR: '3', TERM: 'dumb' }, true],
    [onTerminal, {}, true],
    [onTerminal, { NO_COLOR: '1' }, false],
    [onTerminal, { TERM: 'dumb' }, false],
    [onTerminal, { FORCE_COLOR: '0' }, false],
  ];
  await runAll(cases, async ([show, more, isColoured]) => {
    const shown = await show(more);
    expect(stripVTControlCharacters(shown)).toBe(plain);
    expect({ ...more, isColoured: shown !== plain }).toEqual({ ...more, isColoured });
  });
}, 120_000);
