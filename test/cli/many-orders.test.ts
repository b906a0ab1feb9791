import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountEvent, Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { placeOrders } from '../support/place-orders';
import { tradepostBin } from '../support/programs';
import { runCli } from '../support/run-cli';
import { startCountingProxy } from '../support/start-counting-proxy';
import { startOnTerminal } from '../support/start-on-terminal';
import { startProcess } from '../support/start-process';
import { type SeededServer, startSeededServer } from '../support/start-seeded-server';
import { temporaryFolder } from '../support/temporary-folder';

interface Outcome {
  id: string;
  outcome: string;
  from: string | null;
  to: string | null;
}

async function start(count: number) {
  const seeded = await startSeededServer(['--rate-limit', '1000000']);
  onTestFinished(seeded.close);
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const ids = await placeOrders(seeded, count);
  const env = { ...seeded.environmentOf(seeded.seller), TRADEPOST_STATE_DIR: folder.path };
  return { seeded, ids, env, file: join(folder.path, 'result.ndjson'), state: folder.path };
}

/** Every change of status that the service made, of these orders. */
async function statusChanges({ server, seller }: SeededServer, ids: readonly string[]) {
  const { events } = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const all = await events.list({ limit: 100 }).toArray({ limit: Number.POSITIVE_INFINITY });
  const wanted = new Set(ids);
  return all.flatMap((event: AccountEvent) =>
    event.event === 'order.status_changed' && wanted.has(event.data.orderId)
      ? [event.data.orderId]
      : [],
  );
}

/** How many outcomes a result file has so far. */
async function settledIn(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith('{"kind":"outcome"')).length;
}

function outcomesOf(stdout: string): Outcome[] {
  return JSON.parse(stdout);
}

it('1,000 orders, killed twice and resumed: each is moved once and none is left out', async () => {
  const { seeded, ids, env: direct, file } = await start(1_000);
  const proxy = await startCountingProxy(seeded.server.url);
  const env = { ...direct, TRADEPOST_BASE_URL: proxy.url };
  const begin = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--result-file', file];
  const goOn = ['orders', 'set-status', '--resume', file, '--yes'];
  for (const [argv, enough] of [
    [begin, 250],
    [goOn, 600],
  ] as const) {
    const cli = startProcess(process.execPath, [tradepostBin, ...argv], {
      env,
      input: ids.join('\n'),
    });
    while ((await settledIn(file)) < enough) await new Promise(setImmediate);
    expect(await cli.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  }
  expect(await settledIn(file)).toBeLessThan(1_000);

  const last = await runCli([...goOn, '--output', 'json'], env);
  expect(last.code).toBe(0);
  const outcomes = outcomesOf(last.stdout);
  expect(outcomes.map(({ id }) => id)).toEqual(ids);
  expect(outcomes.every(({ to }) => to === 'confirmed')).toBe(true);
  // At most those that were under way, of two runs with eight at a time, were looked at again.
  const again = outcomes.filter(({ outcome }) => outcome === 'unchanged').length;
  expect(again).toBeLessThanOrEqual(16);
  expect(last.stderr).toMatch(/1000 orders (1000 |\d+ )?moved to confirmed/);

  // What a kill cut off on its way may be sent again, after a look at the order; nothing else is.
  const sent = ids.map((id) => proxy.counts.get(`PATCH /v1/orders/${id}`) ?? 0);
  const repeated = sent.filter((count) => count > 1).length;
  expect(Math.min(...sent)).toBe(1);
  expect(repeated).toBeLessThanOrEqual(16 - again);
  const lookedAt = ids.filter((id) => proxy.counts.has(`GET /v1/orders/${id}`)).length;
  expect(lookedAt).toBeLessThanOrEqual(16);
  const changes = await statusChanges(seeded, ids);
  expect(changes).toHaveLength(1_000);
  expect(new Set(changes)).toEqual(new Set(ids));

  const nothingLeft = await runCli([...goOn, '--output', 'json'], env);
  expect(nothingLeft).toMatchObject({ code: 0, stdout: last.stdout });
}, 120_000);

it('a result file whose last line a power failure cut off is gone on with', async () => {
  const { seeded, ids, env, file } = await start(6);
  const first = await runCli(
    [
      'orders',
      'set-status',
      'confirmed',
      '--stdin',
      '--yes',
      '--result-file',
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
  // From the middle of an outcome on, everything is lost.
  const kept = lines.slice(0, -5).join('\n').length + 12;
  await truncate(file, kept);
  for (let round = 0; round < 2; round += 1) {
    const resumed = await runCli(
      ['orders', 'set-status', '--resume', file, '--yes', '--output', 'json'],
      env,
    );
    expect(resumed.code).toBe(0);
    expect(outcomesOf(resumed.stdout).map(({ id, to }) => [id, to])).toEqual(
      ids.map((id) => [id, 'confirmed']),
    );
  }
  expect(await statusChanges(seeded, ids)).toHaveLength(6);
});

it('Ctrl-C finishes what is under way, and tells how to go on from there', async () => {
  const { seeded, ids, env, state } = await start(400);
  const cli = startProcess(
    process.execPath,
    [tradepostBin, 'orders', 'set-status', 'confirmed', '--stdin', '--yes', '--output', 'json'],
    { env, input: ids.join('\n') },
  );
  const results = join(state, 'results');
  const found = async () =>
    (await readdir(results).catch(() => [])).find((name) => /ndjson$/.test(name));
  while ((await settledIn(join(results, (await found()) ?? 'none'))) < 40) {
    await new Promise(setImmediate);
  }
  const { code, stdout, stderr } = await cli.stop('SIGINT');
  expect(code).toBe(130);
  const outcomes = outcomesOf(stdout);
  expect(outcomes).toHaveLength(400);
  const kinds = new Set(outcomes.map(({ outcome }) => outcome));
  expect(kinds).toEqual(new Set(['done', 'untried']));
  const done = outcomes.filter(({ outcome }) => outcome === 'done').length;
  expect(await statusChanges(seeded, ids)).toHaveLength(done);

  const { error } = JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '');
  expect(error).toMatchObject({
    code: 'interrupted',
    message: `interrupted: of 400 orders ${done} moved to confirmed, ${400 - done} not tried`,
  });
  const command = /^Go on with: tradepost (.*)$/.exec(error.hint)?.[1] ?? '';
  const resumed = await runCli([...command.split(' '), '--yes', '--output', 'json'], env);
  expect(resumed.code).toBe(0);
  expect(await statusChanges(seeded, ids)).toHaveLength(400);
});

it.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s ends it as Ctrl-C does: tidily, with a file to go on with and no lock left',
  async (signal) => {
    const { ids, env, file, state } = await start(200);
    const argv = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--result-file', file];
    const cli = startProcess(process.execPath, [tradepostBin, ...argv], {
      env,
      input: ids.join('\n'),
    });
    while ((await settledIn(file)) < 20) await new Promise(setImmediate);
    const { code, stdout, stderr } = await cli.stop(signal);
    expect(code).toBe(130);
    expect(stdout).toContain('untried');
    expect(stderr).toContain(`hint: Go on with: tradepost orders set-status --resume ${file}\n`);
    expect(await readdir(state)).toEqual(['result.ndjson']);
  },
);

it('a guard leaves alone what somebody else moved, and exits 7, or 6 when it was all of them', async () => {
  const { seeded, ids, env } = await start(5);
  const [gone = ''] = ids;
  await runCli(['orders', 'set-status', gone, 'cancelled'], env);
  const guarded = ['orders', 'set-status', ...ids, 'confirmed', '--if-status', 'pending', '--yes'];
  const some = await runCli([...guarded, '--output', 'json'], env);
  expect(some.code).toBe(7);
  expect(outcomesOf(some.stdout)[0]).toMatchObject({
    id: gone,
    outcome: 'skipped',
    from: 'cancelled',
    to: 'cancelled',
    code: 'guard_failed',
    message: 'the order is cancelled, not pending: it was left alone',
  });
  expect(outcomesOf(some.stdout).filter(({ outcome }) => outcome === 'done')).toHaveLength(4);
  const one = await runCli(
    ['orders', 'set-status', gone, 'confirmed', '--if-status', 'pending'],
    env,
  );
  expect(one).toMatchObject({ code: 6, stdout: '' });
  const none = await runCli(
    [
      'orders',
      'set-status',
      gone,
      gone,
      'confirmed',
      '--if-status',
      'pending',
      '--yes',
      '--dry-run',
    ],
    env,
  );
  expect(none.code).toBe(6);
  expect(await statusChanges(seeded, ids)).toHaveLength(5);
});

it('a dry run shows before and after, and changes nothing', async () => {
  const { seeded, ids, env } = await start(3);
  const [first = ''] = ids;
  await runCli(['orders', 'set-status', first, 'confirmed'], env);
  const list = await runCli(['orders', 'list', '--all', '--output', 'csv'], env);
  const csv = list.stdout
    .split('\n')
    .filter((line) => /^id,/.test(line) || ids.includes(line.split(',')[0] ?? ''));
  const dry = await runCli(
    [
      'orders',
      'set-status',
      'confirmed',
      '--stdin',
      '--dry-run',
      '--fields',
      'id,from,to,outcome',
      '--output',
      'csv',
    ],
    env,
    csv.join('\r\n'),
  );
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout.trimEnd().split('\n').slice(1).sort()).toEqual(
    ids
      .map((id) =>
        id === first
          ? `${id},confirmed,confirmed,unchanged`
          : `${id},pending,confirmed,would-change`,
      )
      .sort(),
  );
  expect(dry.stderr).toBe('Of 3 orders 2 would be moved to confirmed, 1 already confirmed.\n');
  expect(await statusChanges(seeded, ids)).toEqual([first]);
});

it('where nobody can be asked, several orders need --yes, and without it nothing is done', async () => {
  const { seeded, ids, env, state } = await start(2);
  const asked = await runCli(['orders', 'set-status', ...ids, 'confirmed'], env);
  expect(asked).toMatchObject({ code: 2, stdout: '' });
  expect(asked.stderr).toMatch(
    /^error: nobody can be asked here: Move 2 orders to confirmed, at http/,
  );
  expect(await statusChanges(seeded, ids)).toEqual([]);
  expect(await readdir(join(state, 'results'))).toEqual([]);
});

it('on a terminal it asks, shows a bar, and a no changes nothing', async () => {
  const { seeded, ids, env } = await start(120);
  const refused = startOnTerminal(['orders', 'set-status', ...ids, 'confirmed'], { env });
  await refused.shows(/Move 120 orders to confirmed/);
  refused.type('\r');
  expect(await refused.exit).toMatchObject({
    code: 1,
    text: expect.stringContaining('error: not confirmed: nothing was done'),
  });
  const interrupted = startOnTerminal(['orders', 'set-status', ...ids, 'confirmed'], { env });
  await interrupted.shows(/Move 120 orders to confirmed/);
  interrupted.type('\u0003');
  expect((await interrupted.exit).code).toBe(130);
  expect(await statusChanges(seeded, ids)).toEqual([]);

  // The ids come through a pipe: the question is asked on the terminal all the same.
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
  expect(text).toMatch(/Result file: \S+\n120 orders moved to confirmed\.\n$/);
  expect(await statusChanges(seeded, ids)).toHaveLength(120);
});

it('--max-failures ends it early; the rest is not tried and can be gone on with', async () => {
  const { seeded, ids, env, file } = await start(6);
  const bad = ids.slice(0, 3);
  for (const id of bad) await runCli(['orders', 'set-status', id, 'cancelled'], env);
  const stopped = await runCli(
    [
      'orders',
      'set-status',
      ...ids,
      'confirmed',
      '--yes',
      '--max-failures',
      '2',
      '--concurrency',
      '1',
      '--result-file',
      file,
      '--output',
      'json',
    ],
    env,
  );
  expect(stopped.code).toBe(6);
  expect(outcomesOf(stopped.stdout).map(({ outcome }) => outcome)).toEqual([
    'failed',
    'failed',
    'untried',
    'untried',
    'untried',
    'untried',
  ]);
  const resumed = await runCli(
    ['orders', 'set-status', '--resume', file, '--yes', '--output', 'json'],
    env,
  );
  expect(resumed.code).toBe(7);
  expect(outcomesOf(resumed.stdout).map(({ outcome }) => outcome)).toEqual([
    'failed',
    'failed',
    'failed',
    'done',
    'done',
    'done',
  ]);
  expect(await statusChanges(seeded, ids)).toHaveLength(6);
});

it('two at once on one result file: the second is refused', async () => {
  const { ids, env, file } = await start(300);
  const argv = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--result-file', file];
  const cli = startProcess(process.execPath, [tradepostBin, ...argv], {
    env,
    input: ids.join('\n'),
  });
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  while ((await settledIn(file)) < 1) await new Promise(setImmediate);
  const second = await runCli(['orders', 'set-status', '--resume', file, '--yes'], env);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`another process is working on ${file}: process ${cli.pid}`);
  expect((await cli.exit).code).toBe(0);
});

it('a result file of another service, another file, and one that is there already are refused', async () => {
  const { seeded, ids, env, file } = await start(2);
  const made = ['orders', 'set-status', ...ids, 'confirmed', '--yes', '--result-file', file];
  expect((await runCli(made, env)).code).toBe(0);
  const again = await runCli(made, env);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('is there already');
  const elsewhere = await runCli(['orders', 'set-status', '--resume', file, '--yes'], {
    ...env,
    TRADEPOST_BASE_URL: 'http://127.0.0.1:1',
  });
  expect(elsewhere).toMatchObject({ code: 2, stdout: '' });
  expect(elsewhere.stderr).toContain(`are of ${seeded.server.url}, not of http://127.0.0.1:1`);
  await writeFile(file, '{"kind":"something else"}\n');
  const foreign = await runCli(['orders', 'set-status', '--resume', file, '--yes'], env);
  expect(foreign).toMatchObject({ code: 2, stdout: '' });
  expect(foreign.stderr).toContain('is no whole result file');
});
