import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCommands } from '../../helpers/read-commands';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { playAct } from './act';
import { account } from './scenarios/account';
import { errors } from './scenarios/errors';
import { events } from './scenarios/events';
import { help } from './scenarios/help';
import { notifications } from './scenarios/notifications';
import { orders } from './scenarios/orders';
import { webhooks } from './scenarios/webhooks';

const scenes = { account, errors, events, help, notifications, orders, webhooks };
const folder = fileURLToPath(new URL('transcripts', import.meta.url));
const onTerminal = 'ON A TERMINAL OF 80 CELLS';

it('there is a transcript of each scene, and no other', async () => {
  // First: what is not there would be written, and never fail.
  const expected = Object.keys(scenes).map((name) => `${name}.txt`);
  expect((await readdir(folder)).sort()).toEqual(expected.sort());
});

it('every command is in a transcript, on pipes and on a terminal', async () => {
  const texts = await Promise.all(
    Object.keys(scenes).map((name) => readFile(join(folder, `${name}.txt`), 'utf8')),
  );
  const halves = texts.map((text) => text.split(onTerminal));
  // The one that no help lists: shells ask it.
  const commands = [...(await readCommands()).keys(), 'complete'];
  expect(commands.length).toBeGreaterThan(25);
  for (const half of [0, 1]) {
    const lines = halves.flatMap((parts) => (parts[half] ?? '').match(/^\w+\$ .*$/gm) ?? []);
    const isPlayed = (command: string) =>
      lines.some((line) => `${line} `.includes(`tradepost ${command} `));
    expect(commands.filter((command) => !isPlayed(command))).toEqual([]);
  }
}, 120_000);

describe('a scene with every command of its kind', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const home = await temporaryFolder();
    server = await startServerProcess(join(home.path, 'tradepost.db'));
    return async () => {
      await server.stop();
      await home.remove();
    };
  });

  it.each(Object.entries(scenes))(
    'prints what its transcript has: %s',
    async (name, scene) => {
      const [pipes, terminal] = await Promise.all([
        playAct(scene, 'pipes', server),
        playAct(scene, 'terminal', server),
      ]);
      const text = `THROUGH PIPES\n\n${pipes}\n${onTerminal}\n\n${terminal}`;
      await expect(text).toMatchFileSnapshot(join(folder, `${name}.txt`));
    },
    300_000,
  );
});
