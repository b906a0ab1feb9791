import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { version } from '../../packages/cli/package.json';
import { placeOrders } from '../helpers/place-orders';
import { type Exit, runProcess } from '../helpers/start-process';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';
import { findNodeMajors } from '../runtimes/node-majors';

let service: SeededServer;

beforeAll(async () => {
  service = await startSeededServer();
  return () => service.close();
});

describe.each(findNodeMajors())('the installed `tradepost` on Node $major', ({ program: node }) => {
  let folder: TemporaryFolder;

  beforeAll(async () => {
    folder = await temporaryFolder();
    return folder.remove;
  });

  /** Runs it by name, as a seller, in a temporary folder. */
  function tradepost(args: readonly string[], input = ''): Promise<Exit> {
    const path = [dirname(node), join(inject('cliPrefix'), 'bin'), process.env.PATH];
    return runProcess('tradepost', args, {
      cwd: folder.path,
      env: {
        ...service.createEnvironment(service.seller),
        PATH: path.join(delimiter),
        TRADEPOST_STATE_DIR: join(folder.path, 'state'),
      },
      input,
    });
  }

  /** Runs it and expects the exit code 0. */
  async function readStdout(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await tradepost(args, input);
    expect(code, stderr).toBe(0);
    return stdout;
  }

  test('prints its version and its help', async () => {
    expect(await readStdout(['--version'])).toBe(`${version}\n`);
    expect(await readStdout(['--help'])).toContain('orders');
    expect(await readStdout(['orders', 'set-status', '--help'])).toContain('--if-status');
  });

  test('lists orders as a table, as CSV and through jq', async () => {
    const orders = JSON.parse(await readStdout(['orders', 'list', '--output', 'json']));
    const ids: string[] = orders.map(({ id }: { id: string }) => id);
    expect(ids).not.toEqual([]);

    const table = (await readStdout(['orders', 'list'])).trimEnd().split('\n');
    expect(table).toHaveLength(ids.length + 1);
    const csv = await readStdout(['orders', 'list', '--output', 'csv', '--fields', 'id,quantity']);
    expect(csv.split('\n').map((line) => line.split(',')[0])).toEqual(['id', ...ids, '']);
    const named = await readStdout(['orders', 'list', '--jq', '.[].id']);
    expect(named.trimEnd().split('\n')).toEqual(ids);
  });

  test('updates many orders, and the next run has nothing left to do', async () => {
    const ids = await placeOrders(service, 5);
    const setStatus = ['orders', 'set-status', 'confirmed', '--stdin', '--if-status', 'pending'];
    for (const outcome of ['updated', 'unchanged']) {
      const outcomes = await readStdout(
        [...setStatus, '--yes', '--output', 'ndjson'],
        ids.join('\n'),
      );
      const lines = outcomes.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(ids.map(() => outcome));
    }
    const first = await readStdout(['orders', 'get', ids[0] ?? '', '--jq', '.status']);
    expect(first).toBe('confirmed\n');
  });

  test('prints a shell completion script', async () => {
    const script = await readStdout(['completion', 'bash']);
    const checked = await runProcess('bash', ['-n'], { input: script });
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(script).toContain('tradepost');
  });
});
