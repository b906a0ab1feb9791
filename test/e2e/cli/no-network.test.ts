import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runAll } from '../../helpers/run-all';
import { runCli } from '../../helpers/run-cli';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

const preload = join(import.meta.dirname, '../../helpers/record-connections.cjs');

it('help, version, completion and profiles open no connection, and other commands connect only to the service', async () => {
  const seeded = await forTest(startSeededServer());
  const folder = await forTest(temporaryFolder());
  const record = join(folder.path, 'connections');
  await writeFile(record, '');
  const env = {
    ...seeded.createEnvironment(seeded.seller),
    NODE_OPTIONS: `--require "${preload}"`,
    RECORDED_CONNECTIONS: record,
  };
  const offline = [
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
  await runAll(offline, async (line) => {
    expect(await runCli(line.split(' '), env)).toMatchObject({ code: 0 });
  });
  expect(await readFile(record, 'utf8')).toBe('');

  const online = ['orders list', 'notifications list --unread', 'events list', 'whoami', 'doctor'];
  await runAll(online, async (line) => {
    expect(await runCli(line.split(' '), env)).toMatchObject({ code: 0 });
  });
  const connections = (await readFile(record, 'utf8')).trimEnd().split('\n');
  expect(connections.length).toBeGreaterThanOrEqual(online.length);
  expect(new Set(connections)).toEqual(new Set([`connect ${new URL(seeded.server.url).host}`]));
}, 120_000);
