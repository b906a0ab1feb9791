import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { temporaryFolder } from '../../helpers/temporary-folder';

it('a terminal session has all output, also if the test is busy while the process ends', async () => {
  const folder = await forTest(temporaryFolder());
  const ended = join(folder.path, 'ended');
  // 6 KiB: more than the 4 KiB that a closed terminal keeps, and less than it holds while nothing is read.
  const session = startOnTerminal([], { shell: `echo begin; seq 1 1200; exec touch ${ended}` });
  await session.shows(/begin/);
  // This test is busy meanwhile.
  execFileSync('sh', ['-c', `until [ -e ${ended} ]; do sleep 0.01; done`], { timeout: 20_000 });
  const { text } = await session.exit;
  expect(text.trim().split('\n').at(-1)).toBe('1200');
});
