import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { outcomesOf, startManyOrders, statusChanges } from './start-many-orders';

it('a guard leaves alone what somebody else moved, and exits 7, or 6 when it was all of them', async () => {
  const { seeded, ids, env } = await startManyOrders(5);
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
    code: 'precondition_failed',
    message: 'Skipped: cancelled, not pending',
  });
  expect(outcomesOf(some.stdout).filter(({ outcome }) => outcome === 'updated')).toHaveLength(4);
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
  expect(dry.stderr).toBe('3 orders: 2 would move to confirmed, 1 already confirmed.\n');
  expect(await statusChanges(seeded, ids)).toEqual([first]);
});

it('several orders need --yes where there is no terminal', async () => {
  const { seeded, ids, env, state } = await startManyOrders(2);
  const asked = await runCli(['orders', 'set-status', ...ids, 'confirmed'], env);
  expect(asked).toMatchObject({ code: 2, stdout: '' });
  expect(asked.stderr).toMatch(/^error: Confirmation needed: Move 2 orders to confirmed at http/);
  expect(await statusChanges(seeded, ids)).toEqual([]);
  expect(await readdir(join(state, 'results'))).toEqual([]);
});

it('on a terminal it asks, shows a bar, and a no changes nothing', async () => {
  const { seeded, ids, env } = await startManyOrders(120);
  const refused = startOnTerminal(['orders', 'set-status', ...ids, 'confirmed'], { env });
  await refused.shows(/Move 120 orders to confirmed/);
  refused.type('\r');
  expect(await refused.exit).toMatchObject({
    code: 1,
    text: expect.stringContaining('error: Cancelled. Nothing changed.'),
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
  expect(text).toMatch(/Journal: \S+\n120 orders moved to confirmed\.\n$/);
  expect(await statusChanges(seeded, ids)).toHaveLength(120);
});
