import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleSecret } from '@tradepost/sdk/testing';
import { webhookReceiver } from '@tradepost/sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../../test/helpers/loopback';
import { runCli } from '../../helpers/run-cli';
import { aFolder } from '../../helpers/webhook-builders';

/** A process that ended, and that nobody waited for, counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X');
  return !/\) [XZ]/.test(state);
}

it('webhooks probe finds by --count-command that a receiver acts before it verifies', async () => {
  const { node } = webhookReceiver({
    secret: exampleSecret,
    onUnhandled: () => undefined,
    onVerificationError: () => undefined,
  });
  let effects = 0;
  const server = await startHttpServer((request, response) => {
    if (request.url === '/effects') return response.end(String(effects));
    effects += 1;
    return node(request, response);
  });
  onTestFinished(server.close);
  const secretFile = join(await aFolder(), 'webhook.secret');
  await writeFile(secretFile, exampleSecret);
  const probe = (count: string) => {
    const options = ['--secret-file', secretFile, '--count-command', count];
    return runCli(['webhooks', 'probe', server.url, ...options]);
  };
  const failed = await probe('PASSWORD=hunter2; exit 3');
  expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
  expect(failed.stderr).toMatch(/--count-command failed: exit code 3$/m);
  expect(await probe('echo many')).toMatchObject({ exitCode: 2 });
  expect(effects).toBe(0);
  const pidFile = join(await aFolder(), 'pid');
  const sleeping = await probe(`sleep 100 & echo $! > '${pidFile}'; wait`);
  expect(sleeping.stderr).toContain('--count-command failed: it ran for more than 10 s');
  const pid = Number(await readFile(pidFile, 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
  const leaving = `sleep 100 > /dev/null & echo $! > '${pidFile}'; echo many`;
  expect(await probe(leaving)).toMatchObject({ exitCode: 2 });
  const left = Number(await readFile(pidFile, 'utf8'));
  expect(left).not.toBe(pid);
  await expect.poll(() => isRunning(left)).toBe(false);
  const read = `fetch('${server.url}/effects').then(async (it) => console.log(await it.text()))`;
  const { exitCode, stderr } = await probe(`"${process.execPath}" --eval "${read}"`);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('acts before it verifies');
  const once = `"${process.execPath}" --eval "fs.mkdirSync('${join(await aFolder(), 'counted')}'); console.log(0)"`;
  const later = await probe(once);
  expect(later).toMatchObject({ exitCode: 1, stdout: '' });
  expect(later.stderr).toContain('--count-command failed: exit code 1');
});
