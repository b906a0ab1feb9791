import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { runScenario } from '../e2e/cli/helpers/run-scenario';
import { account } from '../e2e/cli/scenarios/account';
import { dayWidth } from '../e2e/cli/scenarios/day';
import { errors } from '../e2e/cli/scenarios/errors';
import { events } from '../e2e/cli/scenarios/events';
import { help } from '../e2e/cli/scenarios/help';
import { notifications } from '../e2e/cli/scenarios/notifications';
import { orders } from '../e2e/cli/scenarios/orders';
import { webhooks } from '../e2e/cli/scenarios/webhooks';
import { readCommandPaths } from '../helpers/read-commands';
import { type ServerProcess, startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

const scenarios = { account, errors, events, help, notifications, orders, webhooks };
const folder = fileURLToPath(new URL('expected', import.meta.url));
const onTerminal = 'ON A TERMINAL OF 80 CELLS';

it('every scenario has a transcript, and every transcript a scenario', async () => {
  // Checked first, since a missing transcript would be written and never fail.
  const names = [...Object.keys(scenarios), `day-${dayWidth}`];
  const expected = names.map((name) => `${name}.txt`);
  expect((await readdir(folder)).sort()).toEqual(expected.sort());
});

it('the transcripts include every command, on pipes and on a terminal', async () => {
  const texts = await Promise.all(
    Object.keys(scenarios).map((name) => readFile(join(folder, `${name}.txt`), 'utf8')),
  );
  const halves = texts.map((text) => text.split(onTerminal));
  // No help lists this one: shells call it.
  const commands = [...(await readCommandPaths()), 'complete'];
  expect(commands.length).toBeGreaterThan(25);
  for (const half of [0, 1]) {
    const lines = halves.flatMap((parts) => (parts[half] ?? '').match(/^\w+\$ .*$/gm) ?? []);
    const isIncluded = (command: string) =>
      lines.some((line) => `${line} `.includes(`tradepost ${command} `));
    expect(commands.filter((command) => !isIncluded(command))).toEqual([]);
  }
}, 120_000);

describe('the scenario', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const home = await temporaryFolder();
    server = await startServerProcess(join(home.path, 'tradepost.db'));
    return async () => {
      await server.stop();
      await home.remove();
    };
  });

  it.each(Object.entries(scenarios))(
    '%s prints what its transcript has',
    async (name, scenario) => {
      const [pipes, terminal] = await Promise.all([
        runScenario(scenario, 'pipes', server),
        runScenario(scenario, 'terminal', server),
      ]);
      const text = `THROUGH PIPES\n\n${pipes}\n${onTerminal}\n\n${terminal}`;
      await expect(text).toMatchFileSnapshot(join(folder, `${name}.txt`));
    },
    300_000,
  );
});
