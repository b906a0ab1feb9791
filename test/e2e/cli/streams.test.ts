import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostBin } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';

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
