import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { runCli, startCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import {
  listStatusChanges,
  parseOutcomes,
  startManyOrders,
  waitForOutcomes,
} from './helpers/start-many-orders';

const setStatus = ['orders', 'set-status'];

/** Starts the same service again, at the same address. */
async function restart({ url, database }: ServerProcess): Promise<void> {
  const { port } = new URL(url);
  await forTest(startServerProcess(database, ['--port', port, '--rate-limit', '1000000']));
}

it.each([
  ['without a condition', []],
  ['with --if-status', ['--if-status', 'pending']],
])(
  'a bulk change %s continues after the service was killed and started again',
  async (_, guard) => {
    const { seeded, ids, env, file } = await startManyOrders(400);
    const argv = [...setStatus, 'confirmed', '--stdin', ...guard, '--yes', '--journal', file];
    const cli = startCli([...argv, '--output', 'json'], env, ids.join('\n'));
    await waitForOutcomes(file, 50);
    await seeded.server.stop('SIGKILL');
    await cli.writes(/Retrying for up to 5 minutes\.\n/, 'stderr');
    await restart(seeded.server);
    const { code, stdout, stderr } = await cli.exit;
    expect(stderr).toMatch(
      /^Journal: \S+\nCould not connect.*\. Retrying for up to 5 minutes\.\nReconnected\.\n400 orders moved to confirmed\.\n$/,
    );
    expect(code).toBe(0);
    expect(parseOutcomes(stdout).map(({ id, outcome }) => [id, outcome])).toEqual(
      ids.map((id) => [id, 'updated']),
    );
    expect((await listStatusChanges(seeded, ids)).sort()).toEqual([...ids].sort());
  },
  60_000,
);

it('a bulk change stops after --reconnect-timeout, and resumes while the service starts', async () => {
  const { seeded, ids, env, file } = await startManyOrders(400);
  const argv = [...setStatus, 'confirmed', '--stdin', '--yes', '--journal', file];
  const cli = startCli([...argv, '--reconnect-timeout', '2'], env, ids.join('\n'));
  await waitForOutcomes(file, 50);
  await seeded.server.stop('SIGKILL');
  const stopped = await cli.exit;
  expect(stopped.code).toBe(7);
  expect(stopped.stderr).toMatch(
    /400 orders: \d+ moved to confirmed, \d failed, \d+ not attempted/,
  );

  const resume = [...setStatus, '--resume', file, '--yes'];
  const impatient = await runCli([...resume, '--reconnect-timeout', '0'], env);
  expect(impatient.code).toBe(9);
  const patient = startCli(resume, env);
  await patient.writes(/Retrying for up to 5 minutes\.\n/, 'stderr');
  await restart(seeded.server);
  expect((await patient.exit).code).toBe(0);
  expect((await listStatusChanges(seeded, ids)).sort()).toEqual([...ids].sort());
}, 60_000);

it('a bulk change to a service that is not there exits with 9 after a few seconds', async () => {
  const { seeded, ids, env } = await startManyOrders(2);
  await seeded.server.stop('SIGKILL');
  const { code, stderr } = await runCli([...setStatus, ...ids, 'confirmed', '--yes'], env);
  expect(code).toBe(9);
  expect(stderr).toContain('Could not connect');
}, 60_000);

it('a terminal shows that the service is silent, counts down while it is away, and goes on', async () => {
  const { seeded, ids, env } = await startManyOrders(400);
  const { pid } = seeded.server;
  if (pid === undefined) throw new Error('The server has no process ID.');
  const cli = startOnTerminal([], {
    env: { ...env, IDS: ids.join('\n') },
    shell: 'printf "%s" "$IDS" | tradepost orders set-status confirmed --stdin --yes',
  });
  await cli.shows(/ \d\d+\/400 /);
  process.kill(pid, 'SIGSTOP');
  await cli.shows(/ no response for \d+ s/);
  process.kill(pid, 'SIGKILL');
  await seeded.server.exit;
  await cli.shows(/Connection failed; retrying in \d s \(gives up in \d min\)/);
  await cli.shows(/Retrying for up to 5 minutes\./);
  await restart(seeded.server);
  const { code, text } = await cli.exit;
  expect(text).toContain('Reconnected.');
  expect(text).toMatch(/400 orders moved to confirmed\.\n$/);
  expect(code).toBe(0);
}, 60_000);

it('Ctrl-C while a rate limit is waited for ends at once, and leaves no order in doubt', async () => {
  const { ids, env, file, seeded } = await startManyOrders(12);
  let changes = 0;
  // The real service behind a limit of six changes.
  const limited = await startHttpServer(async (request, response) => {
    if (request.method === 'PATCH') changes += 1;
    if (changes > 6 && request.method === 'PATCH') {
      response.writeHead(429, { 'retry-after': '60' }).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const forwarded = await fetch(`${seeded.server.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/json',
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(forwarded.status, { 'content-type': 'application/json' });
    response.end(await forwarded.text());
  });
  onTestFinished(() => limited.close());
  const argv = [...setStatus, ...ids, 'confirmed', '--yes', '--journal', file, '--output', 'json'];
  const cli = startCli(argv, { ...env, TRADEPOST_BASE_URL: limited.url });
  await cli.writes(/Rate limited; retrying in 60 s\.\n/, 'stderr');
  const { code, stdout, stderr } = await cli.stop('SIGINT');
  expect(code).toBe(130);
  const kinds = parseOutcomes(stdout).map(({ outcome }) => outcome);
  expect(kinds.filter((kind) => kind === 'updated')).toHaveLength(6);
  expect(kinds.filter((kind) => kind === 'not_attempted')).toHaveLength(6);
  expect(stderr).not.toMatch(/doubt|unknown/);
  expect(stderr.match(/Rate limited/g), stderr).toHaveLength(1);
  expect(await readFile(file, 'utf8')).not.toContain('in_doubt');

  const resumed = await runCli(
    [
      ...setStatus,
      '--resume',
      file,
      '--yes',
      '--base-url',
      limited.url,
      '--reconnect-timeout',
      '0',
    ],
    env,
  );
  expect(resumed.code).not.toBe(0);
  changes = -100;
  const last = await runCli([...setStatus, '--resume', file, '--yes'], {
    ...env,
    TRADEPOST_BASE_URL: limited.url,
  });
  expect(last.code).toBe(0);
  expect((await listStatusChanges(seeded, ids)).sort()).toEqual([...ids].sort());
});
