import { join } from 'node:path';
import { describe, test } from 'vitest';
import { runServerCommand } from '../../helpers/run-server-command';
import { findUrl, listDemoFolders, startDemo } from './start-demo';
import { startExample } from './start-example';

// Each run waits for a real retry, so they wait together.
describe.concurrent('npm run demo', { timeout: 90_000 }, () => {
  test('names the step that fails, exits with 1 and still cleans up', async ({
    expect,
    onTestFinished,
  }) => {
    const { folder, demo } = await startDemo(onTestFinished);
    // All keys are revoked while it runs: the next request is rejected, in whichever step.
    // One comes after the retry, for which the server waits 5 seconds.
    await demo.writes(/listening on http:/);
    const [temporary = ''] = await listDemoFolders(folder);
    const database = join(folder, temporary, 'demo.db');
    const keys = await runServerCommand<{ id: string }[]>(['keys', 'list'], database);
    // The first one may end the demo, which removes the database, before the others.
    await Promise.allSettled(
      keys.map(({ id }) => runServerCommand(['keys', 'revoke', id], database)),
    );
    const { code, stdout, stderr } = await demo.exit;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^The demo stopped at step [3-9], ".+":$/m);
    expect(stderr).toContain('invalid_api_key');
    expect(await listDemoFolders(folder)).toEqual([]);
    await expect(fetch(findUrl(stdout))).rejects.toThrow('fetch failed');
  });

  test('stops everything on Ctrl-C', async ({ expect, onTestFinished }) => {
    const { folder, demo } = await startDemo(onTestFinished);
    await demo.writes(/Now the server waits/);
    const { code, stdout, stderr } = await demo.stop('SIGINT');

    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted by SIGINT.');
    expect(await listDemoFolders(folder)).toEqual([]);
    await expect(fetch(findUrl(stdout))).rejects.toThrow('fetch failed');
  });

  test('reports that the folder for temporary files is missing', async ({ expect }) => {
    const missing = join(import.meta.dirname, 'no-such-folder');
    const demo = startExample('demo/main.ts', [], {
      env: { TMPDIR: missing, TSX_DISABLE_CACHE: '1' },
    });
    const { code, stderr } = await demo.exit;
    expect(code).toBe(1);
    expect(stderr).toContain('The demo stopped at the start:');
    expect(stderr).toContain('no such file or directory');
  });
});
