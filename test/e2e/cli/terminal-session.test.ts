import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { temporaryFolder } from '../../helpers/temporary-folder';

it('a terminal session has all output, also if the test is busy while the process ends', async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const ended = join(folder.path, 'ended');
  const session = startOnTerminal([], { shell: `echo begin; seq 1 3000; exec touch ${ended}` });
  await session.shows(/begin/);
  while (!existsSync(ended)) {
    // Nothing is read meanwhile.
  }
  const { text } = await session.exit;
  expect(text.trim().split('\n').at(-1)).toBe('3000');
});
