import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'vitest';
import { runServerCommand } from '../../helpers/run-server-command';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { startExample } from './start-example';

// Each run waits for a real retry, so they wait together.
describe.concurrent('npm run demo', { timeout: 90_000 }, () => {
  /** Lists the demo's temporary folders; the TypeScript runner has its cache in the same folder. */
  const listDemoFolders = async (folder: string) =>
    (await readdir(folder)).filter((name) => name.startsWith('tradepost-demo-'));
  const findUrl = (transcript: string) => /listening on (http:\S+)/.exec(transcript)?.[1] ?? '';

  /** Starts the demo with a folder for temporary files that the test can list. */
  async function startDemo(onTestFinished: TestContext['onTestFinished']) {
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const demo = startExample('demo/main.ts', [], { env: { TMPDIR: folder.path } });
    onTestFinished(async () => {
      await demo.stop();
    });
    return { folder: folder.path, demo };
  }

  test('shows the main flow step by step, shows no secret and deletes what it created', async ({
    expect,
    onTestFinished,
  }) => {
    const { folder, demo } = await startDemo(onTestFinished);
    const { code, stdout, stderr } = await demo.exit;

    expect(stderr).toBe('');
    expect(code).toBe(0);
    const steps = [...stdout.matchAll(/^(\d) {2}\S/gm)].map(([, number]) => Number(number));
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const line of [
      /\$ TRADEPOST_API_KEY=tpk_\w{4}… tradepost webhooks register/,
      /> await tradepost\.orders\.create\(/,
      /\$ TRADEPOST_API_KEY=tpk_\w{4}… tradepost orders set-status ord_\w+ fulfilling/,
      /> const event = verifyWebhookSync\(\{ .*, requireTimestamp: true \}\);/,
      /service-signature {2}[0-9a-f]{16}…/,
      /\{"event":"order\.status_changed",.*"previousStatus":"pending","status":"fulfilling"\}\}/,
      /✓ Verified and handled: .* went from pending to fulfilling\. Responded 204\./,
      /✓ Responded 400 SIGNATURE_MISMATCH/,
      /✓ Retried after \d+\.\d s: .* went from fulfilling to completed/,
      /✓ ntf_\w+ is read/,
      /^Try next:$/m,
      /npm start .* a link to its console/,
    ]) {
      expect(stdout).toMatch(line);
    }
    const attempts = [...stdout.matchAll(/webhook-id (evt_\w+) {2}responded (\d+)/g)];
    expect(attempts.map(([, , status]) => status)).toEqual(['500', '204']);
    expect(new Set(attempts.map(([, id]) => id)).size).toBe(1);

    expect(stdout).not.toMatch(/(tpk|whsec)_[^\s…]{5}/);
    expect(stdout).not.toContain(folder);
    expect(await listDemoFolders(folder)).toEqual([]);
    await expect(fetch(findUrl(stdout))).rejects.toThrow('fetch failed');
  });

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
