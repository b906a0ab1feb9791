import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { runAll } from '../../helpers/run-all';
import { runCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { startSeededServer } from '../../helpers/start-seeded-server';

it('colours are shown on a terminal that has them, and where they are asked for', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const key = seeded.createEnvironment(seeded.seller);
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
