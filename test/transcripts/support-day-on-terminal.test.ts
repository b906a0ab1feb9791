import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runScenario } from '../e2e/cli/helpers/run-scenario';
import { day, dayWidths } from '../e2e/cli/scenarios/day';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

const getFile = (columns: number) =>
  fileURLToPath(new URL(`expected/day-${columns}.txt`, import.meta.url));

/** Runs the day with a service and a home of its own. */
async function runDay(columns: number): Promise<string> {
  const home = await temporaryFolder();
  onTestFinished(home.remove);
  const args = ['--rate-limit', '1000000'];
  const server = await startServerProcess(join(home.path, 'tradepost.db'), args);
  onTestFinished(() => void server.stop());
  return await runScenario(day, 'terminal', server, { columns });
}

// At the same time, since most of a day is waiting.
it("a support agent's day looks as in its transcripts on terminals of two widths", async () => {
  const transcripts = await Promise.all(dayWidths.map(runDay));
  for (const [index, columns] of dayWidths.entries()) {
    await expect(transcripts[index]).toMatchFileSnapshot(getFile(columns));
  }
}, 300_000);

/** What a terminal has to break: URLs, paths and commands to copy, and JSON. */
const unbreakable = /^(\s*\S+|\s*(-H )?'[^']*'|.* \\)$/;

it.each(dayWidths)(
  'the transcript of %i cells has no line that a terminal breaks',
  async (columns) => {
    const lines = (await readFile(getFile(columns), 'utf8')).split('\n');
    const isCommand = /^support\$ /;
    const tooLong = lines.filter(
      (line) => line.length > columns && !isCommand.test(line) && !unbreakable.test(line),
    );
    expect(tooLong).toEqual([]);
  },
);
