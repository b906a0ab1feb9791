import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runAll } from '../../helpers/run-all';
import { runCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { startSeededServer } from '../../helpers/start-seeded-server';

it('the CLI prints colours on a terminal that supports them, and where FORCE_COLOR requests them', async () => {
  const seeded = await forTest(startSeededServer());
  const key = { ...seeded.createEnvironment(seeded.seller), TRADEPOST_TIME: 'iso' };
  const argv = ['orders', 'list', '--status', 'pending', '--no-names'];
  const plain = (await runCli(argv, key)).stdout;
  const onPipe = async (extra: Record<string, string>) =>
    (await runCli(argv, { ...key, ...extra })).stdout;
  const onTerminal = async (extra: Record<string, string>) =>
    (await startOnTerminal(argv, { env: { ...key, ...extra }, columns: 250 }).exit).raw.replaceAll(
      '\r\n',
      '\n',
    );
  const cases: [
    (extra: Record<string, string>) => Promise<string>,
    Record<string, string>,
    boolean,
  ][] = [
    [onPipe, {}, false],
    [onPipe, { FORCE_COLOR: '0' }, false],
    [onPipe, { FORCE_COLOR: '1' }, true],
    [onPipe, { FORCE_COLOR: '3', TERM: 'dumb' }, true],
    [onTerminal, {}, true],
    [onTerminal, { NO_COLOR: '1' }, false],
    [onTerminal, { NO_COLOR: '' }, true],
    [onTerminal, { TERM: 'dumb' }, false],
    [onTerminal, { FORCE_COLOR: '0' }, false],
  ];
  await runAll(cases, async ([print, extra, isColoured]) => {
    const printed = await print(extra);
    expect(stripVTControlCharacters(printed)).toBe(plain);
    expect({ ...extra, isColoured: printed !== plain }).toEqual({ ...extra, isColoured });
  });
}, 120_000);
