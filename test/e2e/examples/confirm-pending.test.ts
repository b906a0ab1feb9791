import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkout, tradepostBin } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { runServerCommand } from '../../helpers/run-server-command';
import { type Exit, runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { type TemporaryFolder, temporaryFolder } from '../../helpers/temporary-folder';

describe('confirm-pending.sh', () => {
  let seeded: SeededServer;
  let pending: string[];
  let folder: TemporaryFolder;

  beforeEach(async () => {
    seeded = await startSeededServer();
    folder = await temporaryFolder();
    // Newest first, as they are listed.
    pending = seeded.seed.orders
      .filter(({ status }) => status === 'pending')
      .map(({ id }) => id)
      .reverse();
    return async () => {
      await seeded.close();
      await folder.remove();
    };
  });

  const confirmPending = (env: Record<string, string>, ...args: string[]) =>
    runProcess('sh', [join(checkout, 'examples/confirm-pending.sh'), ...args], {
      env: { TRADEPOST_STATE_DIR: folder.path, ...env },
    });

  /** Reads the printed table: id and outcome of each order. */
  const parseOutcomes = ({ stdout }: Exit) =>
    stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => /^(\S+) .* (updated|skipped|failed|not_attempted)\b/.exec(line)?.slice(1));

  async function readStatuses(): Promise<string[]> {
    const seller = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
    return Promise.all(pending.map(async (id) => (await seller.orders.get(id)).status));
  }

  test('confirms all pending orders, and a second run has nothing to do', async () => {
    expect(pending.length).toBeGreaterThan(1);
    const env = seeded.createEnvironment(seeded.seller);
    const first = await confirmPending(env);
    expect(first.code, first.stderr).toBe(0);
    expect(parseOutcomes(first)).toEqual(pending.map((id) => [id, 'updated']));
    expect(first.stderr).toContain(`${pending.length} orders moved to confirmed.\n`);
    expect(await readStatuses()).toEqual(pending.map(() => 'confirmed'));

    const second = await confirmPending(env);
    expect(second).toMatchObject({ code: 0, stdout: '', stderr: 'No order is pending.\n' });
  });

  test('passes options on, such as --dry-run', async () => {
    const { code, stdout } = await confirmPending(
      seeded.createEnvironment(seeded.seller),
      '--dry-run',
      '--jq',
      '.[] | .outcome',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'would_change\n'.repeat(pending.length) });
    expect(await readStatuses()).toEqual(pending.map(() => 'pending'));
  });

  test('changes nothing with a read-only key, and exits with 4', async () => {
    const readOnly = await runServerCommand<{ apiKey: string }>(
      ['keys', 'create', '--account', seeded.seller.id, '--read-only'],
      seeded.server.database,
    );
    const { code, stderr } = await confirmPending(
      seeded.createEnvironment({ ...seeded.seller, ...readOnly }),
    );
    expect(code).toBe(4);
    expect(stderr).toContain('This API key is read-only.');
    expect(await readStatuses()).toEqual(pending.map(() => 'pending'));
  });

  test('skips an order that someone else changed in the meantime, and can be resumed', async () => {
    const [taken = '', ...others] = pending;
    // The installed CLI, and a colleague who cancels an order right after it was listed.
    const installed = join(folder.path, 'tradepost');
    const cli = `'${process.execPath}' '${tradepostBin}'`;
    await writeFile(
      installed,
      `#!/bin/sh\n${cli} "$@" || exit\n[ "$2" != list ] || ${cli} orders set-status ${taken} cancelled >&2\n`,
    );
    await chmod(installed, 0o755);
    const PATH = `${folder.path}${delimiter}${process.env.PATH}`;
    const env = seeded.createEnvironment(seeded.seller);

    const ended = await confirmPending({ ...env, PATH });
    expect(ended.code).toBe(0);
    expect(parseOutcomes(ended)).toEqual([
      [taken, 'skipped'],
      ...others.map((id) => [id, 'updated']),
    ]);
    expect(await readStatuses()).toEqual(['cancelled', ...others.map(() => 'confirmed')]);

    const file = /^Journal: (.*)$/m.exec(ended.stderr)?.[1] ?? '';
    const resume = ['orders', 'set-status', '--resume', file, '--yes', '--jq', '.[].outcome'];
    const { stdout } = await runCli(resume, env);
    expect(stdout).toBe(['skipped', ...others.map(() => 'updated'), ''].join('\n'));
  });

  test('changes nothing when the orders cannot be listed', async () => {
    const { code, stdout, stderr } = await confirmPending({
      TRADEPOST_BASE_URL: seeded.server.url,
    });
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toContain('TRADEPOST_API_KEY');
  });
});
