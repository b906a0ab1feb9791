import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { findUnusedPort } from '../../helpers/loopback';
import { placeOrders } from '../../helpers/place-orders';
import { runCli, startCli } from '../../helpers/run-cli';
import { startBreakableProxy } from '../../helpers/start-breakable-proxy';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { startHttpReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

const commands = ['orders watch', 'webhooks listen'] as const;
type Command = (typeof commands)[number];

/** A service behind a proxy, a receiver, and the two commands that follow the service. */
async function startService() {
  // Otherwise clients keep several connections open, and notice of each by itself that no byte passes.
  const seeded = await forTest(startSeededServer(['--keep-alive', '5']));
  const folder = await forTest(temporaryFolder());
  const receiver = await forTest(startHttpReceiver());
  const proxy = await startBreakableProxy(seeded.server.url);
  const env = {
    ...seeded.createEnvironment(seeded.seller),
    TRADEPOST_BASE_URL: proxy.url,
    TRADEPOST_STATE_DIR: join(folder.path, 'state'),
  };
  const argvs = {
    'orders watch': ['orders', 'watch'],
    'webhooks listen': ['webhooks', 'listen', '--forward-to', receiver.url],
  };
  const start = (command: Command, ...options: string[]) =>
    startCli([...argvs[command], ...options], env);
  /** The orders whose creation a command has printed, or forwarded. */
  const listSeen = (command: Command, stdout: string): string[] =>
    command === 'orders watch'
      ? [...stdout.matchAll(/(ord_\w+).*order\.created$/gm)].map(([, id = '']) => id)
      : receiver.arrivals.flatMap(({ body }) => {
          const { event, data } = JSON.parse(String(body));
          return event === 'order.created' ? [data.orderId] : [];
        });
  return { seeded, receiver, proxy, env, argvs, start, listSeen };
}

/** Starts the same service again, at the same address. */
async function restart({ url, database }: ServerProcess): Promise<void> {
  await forTest(startServerProcess(database, ['--port', new URL(url).port]));
}

/** Creates orders one after the other, so that their order is known. */
async function placeInOrder(
  seeded: Parameters<typeof placeOrders>[0],
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(...(await placeOrders(seeded, 1)));
  return ids;
}

const isPoll = /GET \/v1\/events\?[^ ]*waitSeconds=10/;

async function missNothingOfSilence(command: Command): Promise<void> {
  const { seeded, proxy, start, listSeen } = await startService();
  const cli = start(command);
  await proxy.sends(isPoll);
  proxy.breakOff();
  const missed = await placeInOrder(seeded, 3);
  await cli.writes(/ timed out: .*Retrying for up to 5 minutes\.\n/, 'stderr');
  expect(cli.stdout()).toBe('');
  proxy.repair();
  await cli.writes(/Reconnected\.\n/, 'stderr');
  await cli.writes(/(order\.created[\s\S]*){3}/);
  const [last = ''] = await placeInOrder(seeded, 1);
  await cli.writes(/(order\.created[\s\S]*){4}/);
  const { stdout, stderr } = await cli.stop('SIGINT');
  expect(listSeen(command, stdout)).toEqual([...missed, last]);
  expect(stderr.match(/Retrying/g)).toHaveLength(1);
}

async function showSilence(command: Command): Promise<void> {
  const { seeded, proxy, env, argvs } = await startService();
  const { pid } = seeded.server;
  if (pid === undefined) throw new Error('The server has no process ID.');
  const cli = startOnTerminal(argvs[command], { env, columns: 160 });
  await proxy.sends(isPoll);
  process.kill(pid, 'SIGSTOP');
  // Without it the server could not be stopped.
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  await cli.shows(/no response for \d+ s/);
  await cli.shows(/No response in time; retrying in \d s \(gives up in \d min\)/);
  process.kill(pid, 'SIGCONT');
  await cli.shows(/Reconnected\./);
  cli.type('\u0003');
  const { code, text } = await cli.exit;
  const [, during = ''] = /Retrying for up to 5 minutes\.([\s\S]*)Reconnected\./.exec(text) ?? [];
  // Before it counts as lost.
  expect(text).toMatch(/no response for \d+ s[\s\S]*No response in time/);
  expect(during).toContain('retrying');
  expect(during).not.toMatch(/waiting for events|last contact/);
  expect(text).not.toContain('error:');
  expect(code).toBe(130);
}

// Both commands at the same time: it takes a while until a service counts as silent.
it('both commands notice that no byte passes any more, and get what they missed once and in order', async () => {
  await Promise.all(commands.map(missNothingOfSilence));
}, 120_000);

it('both commands show on a terminal that the service is silent, and Ctrl-C ends them without an error', async () => {
  await Promise.all(commands.map(showSilence));
}, 120_000);

describe.each(commands)('an idle %s', (command) => {
  it('continues after the service was killed and started again', async () => {
    const { seeded, proxy, start, listSeen } = await startService();
    const cli = start(command);
    await proxy.sends(isPoll);
    await seeded.server.stop('SIGKILL');
    await cli.writes(/Retrying for up to 5 minutes\.\n/, 'stderr');
    await restart(seeded.server);
    await cli.writes(/Reconnected\.\n/, 'stderr');
    const placed = await placeInOrder(seeded, 2);
    await cli.writes(/order\.created[\s\S]*order\.created/);
    const { code, stdout, stderr } = await cli.stop('SIGINT');
    expect(listSeen(command, stdout)).toEqual(placed);
    expect(stderr.match(/Retrying/g)).toHaveLength(1);
    expect(stderr).not.toContain('error:');
    expect(code).toBe(130);
  }, 120_000);

  it('ends at once on Ctrl-C while it waits for the service', async () => {
    const { seeded, proxy, env, argvs } = await startService();
    const cli = startOnTerminal(argvs[command], { env, columns: 160 });
    await proxy.sends(isPoll);
    await seeded.server.stop('SIGKILL');
    await cli.shows(/Connection failed; retrying in \d s \(gives up in \d min\)/);
    cli.type('\u0003');
    const { code, text } = await cli.exit;
    expect(text).not.toContain('error:');
    expect(code).toBe(130);
  }, 120_000);

  it('exits with 9 if the service is not there at the start', async () => {
    const { env, argvs } = await startService();
    const url = `http://127.0.0.1:${await findUnusedPort()}`;
    const { code, stderr } = await runCli(argvs[command], { ...env, TRADEPOST_BASE_URL: url });
    expect(stderr).toMatch(/^error: Could not connect/);
    expect(stderr).not.toMatch(/Watching|Forwarding|Retrying/);
    expect(code).toBe(9);
  }, 60_000);
});

it('two webhooks listen that start at once share one secret, and the next run has it too', async () => {
  const { start } = await startService();
  const ready = async (cli: ReturnType<typeof start>) =>
    (await cli.writes(/^Signing .*: (whsec_\S+)\n/m, 'stderr'))[1];
  const secrets = await Promise.all(
    ['order.created', 'order.status_changed'].map((type) =>
      ready(start('webhooks listen', '--events', type)),
    ),
  );
  secrets.push(await ready(start('webhooks listen', '--events', 'task.completed')));
  expect(new Set(secrets).size).toBe(1);
}, 60_000);
