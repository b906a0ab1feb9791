import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runScenario } from '../e2e/cli/helpers/run-scenario';
import { day, dayWidth } from '../e2e/cli/scenarios/day';
import { forTest } from '../helpers/for-test';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

/** What a terminal has to break: URLs, paths and commands to copy, and JSON. */
const unbreakable = /^(\s*\S+|\s*(-H )?'[^']*'|.* \\)$/;
const isCommand = /^support\$ /;

async function runDay(columns: number): Promise<string> {
  const home = await forTest(temporaryFolder());
  const args = ['--rate-limit', '1000000'];
  const server = await forTest(startServerProcess(join(home.path, 'tradepost.db'), args));
  return await runScenario(day, 'terminal', server, { columns });
}

/** Returns each command with its exit code. */
const listCommands = (transcript: string) => transcript.match(/^support\$ .*$|^\[exit code .*$/gm);

describe("a support agent's day", () => {
  let usual: string;

  it('looks as in its transcript', async () => {
    usual = await runDay(dayWidth);
    const file = fileURLToPath(new URL(`expected/day-${dayWidth}.txt`, import.meta.url));
    await expect(usual).toMatchFileSnapshot(file);
  }, 300_000);

  it.each([dayWidth, 80])(
    'has no line that a terminal of %d cells breaks',
    async (columns) => {
      const transcript = columns === dayWidth ? usual : await runDay(columns);
      expect(listCommands(transcript)).toEqual(listCommands(usual));
      const tooLong = transcript
        .split('\n')
        .filter(
          (line) => line.length > columns && !isCommand.test(line) && !unbreakable.test(line),
        );
      expect(tooLong).toEqual([]);
    },
    300_000,
  );
});
