import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runScenario } from '../e2e/cli/helpers/run-scenario';
import { day, dayWidth } from '../e2e/cli/scenarios/day';
import { forTest } from '../helpers/for-test';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

const file = fileURLToPath(new URL(`expected/day-${dayWidth}.txt`, import.meta.url));

it("a support agent's day looks as in its transcript", async () => {
  const home = await forTest(temporaryFolder());
  const args = ['--rate-limit', '1000000'];
  const server = await forTest(startServerProcess(join(home.path, 'tradepost.db'), args));
  const transcript = await runScenario(day, 'terminal', server, { columns: dayWidth });
  await expect(transcript).toMatchFileSnapshot(file);
}, 300_000);

/** What a terminal has to break: URLs, paths and commands to copy, and JSON. */
const unbreakable = /^(\s*\S+|\s*(-H )?'[^']*'|.* \\)$/;

it('the transcript has no line that a terminal breaks', async () => {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const isCommand = /^support\$ /;
  const tooLong = lines.filter(
    (line) => line.length > dayWidth && !isCommand.test(line) && !unbreakable.test(line),
  );
  expect(tooLong).toEqual([]);
});
