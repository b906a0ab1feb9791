import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { listStatusChanges, parseOutcomes, startManyOrders } from './helpers/start-many-orders';

it('--if-status skips orders that someone else changed, which only --fail-on-skip makes an error', async () => {
  const { seeded, ids, env } = await startManyOrders(5);
  const [gone = ''] = ids;
  await runCli(['orders', 'set-status', gone, 'cancelled'], env);
  const guarded = ['orders', 'set-status', ...ids, 'confirmed', '--if-status', 'pending', '--yes'];
  const some = await runCli([...guarded, '--output', 'json'], env);
  expect(some.code).toBe(0);
  expect(some.stderr).toContain('5 orders: 4 moved to confirmed, 1 skipped (not pending).\n');
  expect(parseOutcomes(some.stdout)[0]).toMatchObject({
    id: gone,
    outcome: 'skipped',
    from: 'cancelled',
    to: 'cancelled',
    code: 'precondition_failed',
    message: 'Skipped: cancelled, not pending',
  });
  expect(parseOutcomes(some.stdout).filter(({ outcome }) => outcome === 'updated')).toHaveLength(4);
  const one = await runCli(
    ['orders', 'set-status', gone, 'confirmed', '--if-status', 'pending'],
    env,
  );
  expect(one).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Skipped: cancelled, not pending. Nothing changed.\n',
  });
  const strict = await runCli([...guarded, '--fail-on-skip'], env);
  expect(strict.code).toBe(6);
  expect(strict.stderr).toContain(
    'error: 5 orders: 4 already confirmed, 1 skipped (not pending)\n',
  );
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
  expect(none.code).toBe(0);
  expect(await listStatusChanges(seeded, ids)).toHaveLength(5);
});

it('a dry run prints the status before and after, and changes nothing', async () => {
  const { seeded, ids, env } = await startManyOrders(3);
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
          : `${id},pending,confirmed,would_change`,
      )
      .sort(),
  );
  expect(dry.stderr).toBe(
    '3 orders: 2 would move to confirmed, 1 already confirmed. Nothing changed.\n',
  );
  expect(await listStatusChanges(seeded, ids)).toEqual([first]);
});

it('several orders need --yes where there is no terminal', async () => {
  const { seeded, ids, env, state } = await startManyOrders(2);
  const unconfirmed = await runCli(['orders', 'set-status', ...ids, 'confirmed'], env);
  expect(unconfirmed).toMatchObject({ code: 2, stdout: '' });
  expect(unconfirmed.stderr).toMatch(
    /^error: Confirmation needed: Move 2 orders to confirmed at http/,
  );
  expect(await listStatusChanges(seeded, ids)).toEqual([]);
  expect(await readdir(join(state, 'results'))).toEqual([]);
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
