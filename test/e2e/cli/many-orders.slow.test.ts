import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { runCli, startCli } from '../../helpers/run-cli';
import { findOrderId } from '../../helpers/seed';
import { startCountingProxy } from '../../helpers/start-counting-proxy';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import {
  countOutcomes,
  listStatusChanges,
  parseOutcomes,
  startManyOrders,
  waitForOutcomes,
} from './helpers/start-many-orders';

it('a run over 1,000 orders, killed twice and resumed, updates each order once', async () => {
  const { seeded, ids, env: direct, file } = await startManyOrders(1_000);
  const proxy = await startCountingProxy(seeded.server.url);
  const env = { ...direct, TRADEPOST_BASE_URL: proxy.url };
  const start = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--journal', file];
  const resume = ['orders', 'set-status', '--resume', file, '--yes'];
  for (const [argv, count] of [
    [start, 250],
    [resume, 600],
  ] as const) {
    const cli = startCli(argv, env, ids.join('\n'));
    await waitForOutcomes(file, count);
    expect(await cli.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  }
  const before = await countOutcomes(file);
  expect(before).toBeLessThan(1_000);

  const last = await runCli([...resume, '--output', 'json'], env);
  expect(last.code).toBe(0);
  const outcomes = parseOutcomes(last.stdout);
  expect(outcomes.map(({ id }) => id)).toEqual(ids);
  expect(outcomes.every(({ to }) => to === 'confirmed')).toBe(true);
  // At most those that were in flight, eight in each of two runs, were checked again.
  const again = outcomes.filter(({ outcome }) => outcome === 'unchanged').length;
  expect(again).toBeLessThanOrEqual(16);
  expect(last.stderr).toContain(
    again === 0
      ? `\n1,000 orders moved to confirmed; earlier runs did ${before} of them.\n`
      : `\n1,000 orders: ${1_000 - again} moved to confirmed, ${again} already confirmed; earlier runs did ${before} of them.\n`,
  );

  // Only a request that a kill interrupted may be repeated, after reading the order again.
  const sent = ids.map((id) => proxy.counts.get(`PATCH /v1/orders/${id}`) ?? 0);
  const repeated = sent.filter((count) => count > 1).length;
  expect(Math.min(...sent)).toBe(1);
  expect(repeated).toBeLessThanOrEqual(16 - again);
  const reads = ids.map((id) => proxy.counts.get(`GET /v1/orders/${id}`) ?? 0);
  expect(Math.min(...reads)).toBe(1);
  const readAgain = reads.filter((count) => count > 1).length;
  expect(readAgain).toBeLessThanOrEqual(16);
  const changes = await listStatusChanges(seeded, ids);
  expect(changes).toHaveLength(1_000);
  expect(new Set(changes)).toEqual(new Set(ids));

  const nothingLeft = await runCli([...resume, '--output', 'json'], env);
  expect(nothingLeft).toMatchObject({ code: 0, stdout: last.stdout });
}, 120_000);

it('a journal whose last line a power failure truncated can be resumed', async () => {
  const { seeded, ids, env, file } = await startManyOrders(6);
  const first = await runCli(
    [
      'orders',
      'set-status',
      'confirmed',
      '--stdin',
      '--yes',
      '--journal',
      file,
      '--concurrency',
      '1',
    ],
    env,
    ids.join('\n'),
  );
  expect(first.code).toBe(0);
  const whole = await readFile(file, 'utf8');
  const lines = whole.trimEnd().split('\n');
  // Everything after the middle of an outcome is lost.
  const kept = lines.slice(0, -5).join('\n').length + 12;
  await truncate(file, kept);
  for (let round = 0; round < 2; round += 1) {
    const resumed = await runCli(
      ['orders', 'set-status', '--resume', file, '--yes', '--output', 'json'],
      env,
    );
    expect(resumed.code).toBe(0);
    expect(parseOutcomes(resumed.stdout).map(({ id, to }) => [id, to])).toEqual(
      ids.map((id) => [id, 'confirmed']),
    );
  }
  expect(await listStatusChanges(seeded, ids)).toHaveLength(6);
});

it('Ctrl-C finishes the requests in flight and prints how to resume', async () => {
  const { seeded, ids, env, state } = await startManyOrders(400);
  const cli = startCli(
    ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--output', 'json'],
    env,
    ids.join('\n'),
  );
  const results = join(state, 'results');
  let name: string | undefined;
  while (name === undefined) {
    const found = await readdir(results).catch(() => []);
    name = found.find((entry) => entry.endsWith('.ndjson'));
  }
  await waitForOutcomes(join(results, name), 40);
  const { code, stdout, stderr } = await cli.stop('SIGINT');
  expect(code).toBe(130);
  const outcomes = parseOutcomes(stdout);
  expect(outcomes).toHaveLength(400);
  const kinds = new Set(outcomes.map(({ outcome }) => outcome));
  expect(kinds).toEqual(new Set(['updated', 'not_attempted']));
  const done = outcomes.filter(({ outcome }) => outcome === 'updated').length;
  expect(await listStatusChanges(seeded, ids)).toHaveLength(done);

  const { error } = JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '');
  expect(error).toMatchObject({
    code: 'interrupted',
    message: `Interrupted. 400 orders: ${done} moved to confirmed, ${400 - done} not attempted`,
  });
  const command = /Resume with: `tradepost ([^`]*)`\.$/.exec(error.hint)?.[1] ?? '';
  const resumed = await runCli([...command.split(' '), '--yes', '--output', 'json'], env);
  expect(resumed.code).toBe(0);
  expect(await listStatusChanges(seeded, ids)).toHaveLength(400);
});

it.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s ends a run as Ctrl-C does, with a journal to resume from and without a lock file',
  async (signal) => {
    const { ids, env, file, state } = await startManyOrders(200);
    const argv = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--journal', file];
    const cli = startCli(argv, env, ids.join('\n'));
    await waitForOutcomes(file, 20);
    const { code, stdout, stderr } = await cli.stop(signal);
    expect(code).toBe(130);
    expect(stdout).toContain('not_attempted');
    expect(stderr).toContain(
      `hint: Resume with: \`tradepost orders set-status --resume ${file}\`.\n`,
    );
    expect(await readdir(state)).toEqual(['journal.ndjson']);
  },
);

it('a second run with the same journal is rejected', async () => {
  const { ids, env, file } = await startManyOrders(300);
  const argv = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--journal', file];
  const cli = startCli(argv, env, ids.join('\n'));
  await waitForOutcomes(file, 1);
  const second = await runCli(['orders', 'set-status', '--resume', file, '--yes'], env);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`${file} is in use by process ${cli.pid}`);
  expect((await cli.exit).code).toBe(0);
});

it('a journal of another service, another file and an existing journal are rejected', async () => {
  const { seeded, ids, env, file } = await startManyOrders(2);
  const create = ['orders', 'set-status', ...ids, 'confirmed', '--yes', '--journal', file];
  expect((await runCli(create, env)).code).toBe(0);
  const again = await runCli(create, env);
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('exists');
  const elsewhere = await runCli(['orders', 'set-status', '--resume', file, '--yes'], {
    ...env,
    TRADEPOST_BASE_URL: 'http://127.0.0.1:1',
  });
  expect(elsewhere).toMatchObject({ code: 2, stdout: '' });
  expect(elsewhere.stderr).toContain(`are of ${seeded.server.url}, not of http://127.0.0.1:1`);
  await writeFile(file, '{"kind":"something else"}\n');
  const foreign = await runCli(['orders', 'set-status', '--resume', file, '--yes'], env);
  expect(foreign).toMatchObject({ code: 2, stdout: '' });
  expect(foreign.stderr).toContain('is not a complete journal');
});

it('a bulk change that --max-failures ended gives every order its reason, also when it is resumed', async () => {
  const { seeded, ids, env, file } = await startManyOrders(2);
  const completed = findOrderId(seeded.seed, 'completed');
  const reason = 'Batch of 26 November';
  const stopped = await runCli(
    [
      ...['orders', 'set-status', completed, ...ids, 'confirmed', '--yes', '--reason', reason],
      ...['--journal', file, '--concurrency', '1', '--max-failures', '1'],
    ],
    env,
  );
  expect(stopped.stderr).toContain('2 not attempted');
  const resumed = await runCli(['orders', 'set-status', '--resume', file, '--yes'], env);
  expect(resumed.code).toBe(7);
  const client = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  for (const orderId of ids) {
    const events = await client.events.list({ orderId }).toArray({ limit: 100 });
    expect(events.at(-1)).toMatchObject({ data: { status: 'confirmed', reason } });
  }
});

it('set-status prompts on a terminal, shows a progress bar, and changes nothing if declined', async () => {
  const { seeded, ids, env } = await startManyOrders(120);
  const declined = startOnTerminal(['orders', 'set-status', ...ids, 'confirmed'], { env });
  await declined.shows(/Move 120 orders to confirmed/);
  declined.type('\r');
  expect(await declined.exit).toMatchObject({
    code: 1,
    text: expect.stringContaining('error: Cancelled. Nothing changed.'),
  });
  const interrupted = startOnTerminal(['orders', 'set-status', ...ids, 'confirmed'], { env });
  await interrupted.shows(/Move 120 orders to confirmed/);
  interrupted.type('\u0003');
  expect((await interrupted.exit).code).toBe(130);
  expect(await listStatusChanges(seeded, ids)).toEqual([]);

  // The IDs come through a pipe, but the prompt is on the terminal.
  const agreed = startOnTerminal([], {
    env: { ...env, IDS: ids.join('\n') },
    shell:
      'printf "%s" "$IDS" | tradepost orders set-status confirmed --stdin --output csv > /dev/null',
  });
  await agreed.shows(/Move 120 orders to confirmed/);
  agreed.type('y');
  const { code, raw, text } = await agreed.exit;
  expect(code).toBe(0);
  expect(text).toMatch(/[█░]{24} {2}120\/120 {2}/);
  expect(raw).toContain('\u001b[2K');
  expect(text).toMatch(/\nJournal: \S+\n/);
  expect(text).toMatch(/120 orders moved to confirmed\.\n$/);
  expect(await listStatusChanges(seeded, ids)).toHaveLength(120);
});
