import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkout, tradepostBin } from '../support/programs';
import { runServerCommand } from '../support/run-server-command';
import { runProcess } from '../support/start-process';
import { type SeededServer, startSeededServer } from '../support/start-seeded-server';
import { temporaryFolder } from '../support/temporary-folder';

describe('confirm-pending.sh', () => {
  let seeded: SeededServer;
  let pending: string[];

  beforeEach(async () => {
    seeded = await startSeededServer();
    pending = seeded.world.orders.filter(({ status }) => status === 'pending').map(({ id }) => id);
    return () => seeded.close();
  });

  const confirmPending = (env: Record<string, string>) =>
    runProcess('sh', [join(checkout, 'examples/confirm-pending.sh')], { env });

  async function statuses(): Promise<string[]> {
    const seller = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
    return Promise.all(pending.map(async (id) => (await seller.orders.get(id)).status));
  }

  test('confirms all pending orders; a second run has nothing to do', async () => {
    expect(pending.length).toBeGreaterThan(1);
    const env = seeded.environmentOf(seeded.seller);
    const first = await confirmPending(env);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    for (const id of pending) expect(first.stdout).toContain(`${id} is confirmed\n`);
    expect(first.stdout).toContain(`${pending.length} confirmed, 0 left alone, 0 failed\n`);
    expect(await statuses()).toEqual(pending.map(() => 'confirmed'));

    const second = await confirmPending(env);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toBe('0 confirmed, 0 left alone, 0 failed\n');
  });

  test('goes on after a failure, and ends with 1', async () => {
    const readOnly = await runServerCommand<{ apiKey: string }>(
      ['keys', 'create', '--account', seeded.seller.id, '--read-only'],
      seeded.server.database,
    );
    const { code, stdout, stderr } = await confirmPending(
      seeded.environmentOf({ ...seeded.seller, ...readOnly }),
    );
    expect(code).toBe(1);
    for (const id of pending) expect(stderr).toContain(`${id} could not be confirmed\n`);
    expect(stdout).toBe(`0 confirmed, 0 left alone, ${pending.length} failed\n`);
    expect(await statuses()).toEqual(pending.map(() => 'pending'));
  });

  test('leaves alone what somebody else moved on in the meantime', async () => {
    const [taken = '', ...others] = pending;
    // The installed CLI, and a colleague who cancels an order right after it was listed.
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const installed = join(folder.path, 'tradepost');
    const cli = `'${process.execPath}' '${tradepostBin}'`;
    await writeFile(
      installed,
      `#!/bin/sh\n${cli} "$@" || exit\n[ "$2" != list ] || ${cli} orders set-status ${taken} cancelled >&2\n`,
    );
    await chmod(installed, 0o755);
    const PATH = `${folder.path}${delimiter}${process.env.PATH}`;

    const { code, stdout } = await confirmPending({ ...seeded.environmentOf(seeded.seller), PATH });
    expect(code).toBe(0);
    expect(stdout).toContain(`${taken} is no longer pending: left alone\n`);
    expect(stdout).toContain(`${others.length} confirmed, 1 left alone, 0 failed\n`);
    expect(await statuses()).toEqual(['cancelled', ...others.map(() => 'confirmed')]);
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
