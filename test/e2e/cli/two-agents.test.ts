import { expect, it } from 'vitest';
import { runCli } from '../../helpers/run-cli';
import { listStatusChanges, parseOutcomes, startManyOrders } from './helpers/start-many-orders';

it('two people who make the same guarded change at once are credited once for each order', async () => {
  const { seeded, ids, env } = await startManyOrders(200);
  const argv = ['orders', 'set-status', 'confirmed', '--stdin', '--if-status', 'pending', '--yes'];
  const options = ['--no-journal', '--output', 'json'];
  const runs = await Promise.all(
    [1, 2].map(() => runCli([...argv, ...options], env, ids.join('\n'))),
  );
  expect(
    runs.map(({ code }) => code),
    runs.map(({ stderr }) => stderr).join(),
  ).toEqual([0, 0]);
  const outcomes = runs.map(({ stdout }) => parseOutcomes(stdout).map(({ outcome }) => outcome));
  const credited = outcomes.flat().filter((outcome) => outcome === 'updated');
  expect(credited).toHaveLength(200);
  for (const [index] of ids.entries()) {
    const both = outcomes.map((kinds) => kinds[index]).sort();
    // The other one finds the change made, or is rejected by the condition.
    expect(['unchanged', 'skipped']).toContain(both.find((kind) => kind !== 'updated'));
  }
  expect(await listStatusChanges(seeded, ids)).toHaveLength(200);
});
