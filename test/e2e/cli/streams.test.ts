import { openSync } from 'node:fs';
import { platform } from 'node:process';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostBin } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** Starts a server with demo data and more orders of its buyer. */
async function startBusyServer(more: number): Promise<SeededServer> {
  const seeded = await forTest(startSeededServer(['--rate-limit', '100000']));
  const { server, seed, buyer } = seeded;
  const tradepost = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const listingId = seed.listings[0]?.id ?? '';
  await Promise.all(
    Array.from({ length: more }, () => tradepost.orders.create({ listingId, quantity: 1 })),
  );
  return seeded;
}

it('a long list reports that it is truncated, and --all prints all of it', async () => {
  const seeded = await startBusyServer(120);
  const env = seeded.createEnvironment(seeded.seller);
  const total = 120 + seeded.seed.orders.length;
  const parseIds = (stdout: string): string[] =>
    JSON.parse(stdout).map((order: { id: string }) => order.id);

  const first = await runCli(['orders', 'list', '--output', 'json'], env);
  expect(first.code).toBe(0);
  expect(first.stderr).toBe('Showing 50 orders; more exist. Use --all, or a larger --limit.\n');
  expect(parseIds(first.stdout)).toHaveLength(50);

  const limited = await runCli(['orders', 'list', '--limit', '110', '--output', 'json'], env);
  expect(limited.stderr).toBe('Showing 110 orders; more exist. Use --all, or a larger --limit.\n');
  expect(parseIds(limited.stdout)).toHaveLength(110);

  const all = await runCli(['orders', 'list', '--all', '--output', 'json'], env);
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(new Set(parseIds(all.stdout)).size).toBe(total);
  expect(parseIds(all.stdout).slice(0, 50)).toEqual(parseIds(first.stdout));
});

it('the CLI exits silently with 0 when its reader closes the pipe', async () => {
  // More than fits into a pipe, so that output is pending when the reader exits.
  const seeded = await startBusyServer(320);
  const command = '"$NODE" "$TRADEPOST" orders list --all --output json';
  const { stdout, stderr } = await runProcess(
    'sh',
    ['-c', `{ ${command}; echo "exit code $?" >&2; } | head -n 2`],
    {
      env: {
        ...seeded.createEnvironment(seeded.seller),
        NODE: process.execPath,
        TRADEPOST: tradepostBin,
      },
    },
  );
  expect({ stdout, stderr }).toEqual({ stdout: '[\n  {\n', stderr: 'exit code 0\n' });
});

it
  .runIf(platform === 'linux')
  .each([
    [['--version']],
    [['--help']],
    [['orders', 'list', '--help']],
    [['help', 'exit-codes']],
    [['completion', 'bash']],
  ])('%j fails when its output cannot be written', async (args) => {
  const { code, stderr } = await runProcess(process.execPath, [tradepostBin, ...args], {
    stdout: openSync('/dev/full', 'w'),
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: Cannot write to stdout: ENOSPC/),
  });
});

it.runIf(platform === 'linux')('a notice that cannot be written is a failure', async () => {
  const seeded = await forTest(startSeededServer());
  const { code, stdout } = await runProcess(
    process.execPath,
    [tradepostBin, 'orders', 'list', '--limit', '1', '--output', 'csv', '--fields', 'status'],
    { env: seeded.createEnvironment(seeded.seller), stderr: openSync('/dev/full', 'w') },
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^status\n\w+\n$/) });
});

it('the home directory is read only when it is needed', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const withoutHome = `data:text/javascript,import os from 'node:os'; os.homedir = () => { throw new Error('no entry') }`;
  const run = (args: readonly string[], added: Record<string, string>) =>
    runProcess(process.execPath, ['--import', withoutHome, tradepostBin, ...args], {
      env: { ...env, ...added },
    });
  const none = { TRADEPOST_CONFIG_DIR: '', TRADEPOST_STATE_DIR: '' };
  const { path } = await forTest(temporaryFolder());
  for (const args of [['profiles', 'list'], ['jobs', 'list'], ['doctor']]) {
    const set = { TRADEPOST_CONFIG_DIR: path, TRADEPOST_STATE_DIR: path };
    expect(await run(args, set)).toMatchObject({ code: 0 });
  }
  expect(await run(['orders', 'list'], none)).toMatchObject({ code: 0 });
  expect(await run(['doctor'], none)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('profiles: Set HOME, or TRADEPOST_CONFIG_DIR'),
  });
  expect(await run(['profiles', 'list'], none)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('error: There is no home directory: no entry'),
  });
});
