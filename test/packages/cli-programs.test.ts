import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { version } from '../../packages/cli/package.json';
import { placeOrders } from '../helpers/place-orders';
import { type Exit, runProcess } from '../helpers/start-process';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';
import { nodeMajors } from '../runtimes/node-majors';

let service: SeededServer;

beforeAll(async () => {
  service = await startSeededServer();
  return () => service.close();
});

describe.each(nodeMajors())(
  '`tradepost` as it is installed, on Node $major,',
  ({ program: node }) => {
    let folder: TemporaryFolder;

    beforeAll(async () => {
      folder = await temporaryFolder();
      return folder.remove;
    });

    /** Runs it by its name, as a seller, in a folder of its own. */
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

    /** Runs it to a good end. What it says on stderr is told when the end is another. */
    async function stdoutOf(args: readonly string[], input?: string): Promise<string> {
      const { code, stdout, stderr } = await tradepost(args, input);
      expect(code, stderr).toBe(0);
      return stdout;
    }

    test('tells its version and what it can do', async () => {
      expect(await stdoutOf(['--version'])).toBe(`${version}\n`);
      expect(await stdoutOf(['--help'])).toContain('orders');
      expect(await stdoutOf(['orders', 'set-status', '--help'])).toContain('--if-status');
    });

    test('lists orders as a table, as CSV and as what jq makes of them', async () => {
      const orders = JSON.parse(await stdoutOf(['orders', 'list', '--output', 'json']));
      const ids: string[] = orders.map(({ id }: { id: string }) => id);
      expect(ids).not.toEqual([]);

      const table = (await stdoutOf(['orders', 'list'])).trimEnd().split('\n');
      expect(table).toHaveLength(ids.length + 1);
      const csv = await stdoutOf(['orders', 'list', '--output', 'csv', '--fields', 'id,quantity']);
      expect(csv.split('\n').map((line) => line.split(',')[0])).toEqual(['id', ...ids, '']);
      const named = await stdoutOf(['orders', 'list', '--jq', '.[].id']);
      expect(named.trimEnd().split('\n')).toEqual(ids);
    });

    test('moves many orders, and the next run has nothing left to do', async () => {
      const ids = await placeOrders(service, 5);
      const move = ['orders', 'set-status', 'confirmed', '--stdin', '--if-status', 'pending'];
      for (const outcome of ['updated', 'unchanged']) {
        const outcomes = await stdoutOf([...move, '--yes', '--output', 'ndjson'], ids.join('\n'));
        const told = outcomes.trimEnd().split('\n');
        expect(told.map((line) => JSON.parse(line).outcome)).toEqual(ids.map(() => outcome));
      }
      const first = await stdoutOf(['orders', 'get', ids[0] ?? '', '--jq', '.status']);
      expect(first).toBe('confirmed\n');
    });

    test('gives a shell what completes commands', async () => {
      const script = await stdoutOf(['completion', 'bash']);
      const checked = await runProcess('bash', ['-n'], { input: script });
      expect(checked).toMatchObject({ code: 0, stderr: '' });
      expect(script).toContain('tradepost');
    });
  },
);
