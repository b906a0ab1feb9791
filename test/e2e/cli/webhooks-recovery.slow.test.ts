import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostEnvironment, tradepostFunction } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { runProcess } from '../../helpers/start-process';
import { type Arrival, startHttpReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** Starts a receiver that responds with the given status, or the one that is set later. */
async function startAdjustableReceiver(initialStatus = 401) {
  let status = initialStatus;
  const receiver = await startHttpReceiver((response) => {
    response.writeHead(status).end(status === 401 ? 'who are you?' : '');
  });
  onTestFinished(receiver.close);
  return {
    ...receiver,
    setStatus(value: number) {
      status = value;
    },
  };
}

const toHeaderOptions = ({ headers }: Arrival) =>
  ['service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => [
    '--header',
    `${name}: ${headers[name]}`,
  ]);

it('a failed delivery is found, explained and replayed once the receiver is fixed', async () => {
  const seeded = await forTest(startSeededServer(['--allow-insecure-webhooks']));
  const folder = await forTest(temporaryFolder());
  const receiver = await startAdjustableReceiver();
  const env = seeded.createEnvironment(seeded.seller);
  const cli = (...argv: string[]) => runCli(['webhooks', ...argv, '--output', 'json'], env);
  const secretFile = join(folder.path, 'webhook.secret');

  const registered = await cli(
    ...['register', '--url', receiver.url, '--events', 'order.created'],
    ...['--secret-file', secretFile],
  );
  expect(registered.stdout).not.toContain('whsec_');
  const { id } = JSON.parse(registered.stdout);

  const tested = await cli('test', id, '--event', 'order.created', '--wait');
  expect(tested.code).toBe(1);
  expect(JSON.parse(tested.stderr).error).toMatchObject({ code: 'delivery_failed' });
  const delivery = JSON.parse(tested.stdout);
  expect(delivery).toMatchObject({ state: 'failed', lastStatus: 401, webhookId: id });

  const listed = await cli(
    'deliveries',
    '--state',
    'failed',
    '--status-class',
    '4xx',
    '--since',
    '1h',
  );
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: delivery.id }]);

  const explained = JSON.parse((await cli('explain', delivery.id)).stdout);
  expect(explained).toMatchObject({
    verdict: 'failed',
    attempts: [{ responseSnippet: 'who are you?' }],
  });
  expect(explained.signed.body).toBe(String(receiver.arrivals[0]?.body));

  // The receiver is fixed: the delivery is sent by hand with a new signature, then replayed.
  receiver.setStatus(204);
  const fresh = await cli('explain', delivery.id, '--secret-file', secretFile);
  const byHand = await runProcess('sh', ['-c', JSON.parse(fresh.stdout).curl]);
  expect(byHand).toMatchObject({ code: 0, stderr: '' });
  expect(byHand.stdout).toContain('204');
  const preview = await cli('replay', '--failed', '--dry-run');
  expect(JSON.parse(preview.stdout)).toMatchObject([{ webhookId: id, found: 1, replayed: 0 }]);
  const replayed = await cli(
    'replay',
    '--failed',
    '--webhook',
    id,
    '--status-class',
    '4xx',
    '--yes',
  );
  expect(replayed.code).toBe(0);
  expect(JSON.parse(replayed.stdout)).toMatchObject([{ webhookId: id, found: 1, replayed: 1 }]);

  const arrivals = await receiver.until(({ length }) => length === 3);
  for (const arrival of arrivals) {
    const verified = await runCli(
      ['webhooks', 'verify', '--secret-file', secretFile, ...toHeaderOptions(arrival)],
      {},
      String(arrival.body),
    );
    expect(verified.code).toBe(0);
    expect(verified.stderr).toContain('webhook-signature');
  }
});

it('the commands that explain prints check the signature of the bytes that were sent', async () => {
  const seeded = await forTest(startSeededServer(['--allow-insecure-webhooks']));
  const folder = await forTest(temporaryFolder());
  const receiver = await startAdjustableReceiver(204);
  const env = seeded.createEnvironment(seeded.seller);
  const cli = (...argv: string[]) => runCli(['webhooks', ...argv], env);
  const registered = await cli(
    ...['register', '--url', receiver.url, '--events', 'order.created', '--jq', '.id'],
    ...['--secret-file', join(folder.path, 'webhook.secret')],
  );
  const argv = ['--event', 'order.status_changed', '--wait', '--jq', '.id'];
  const { stdout: delivery } = await cli('test', registered.stdout.trim(), ...argv);
  const { stdout: page } = await cli('explain', delivery.trim());

  const [, commands = ''] = /CHECK THE SIGNATURE\n.*:\n((?:tradepost .*\n)+)/.exec(page) ?? [];
  const script = `${tradepostFunction}set -e\n${commands}`;
  const checked = await runProcess('sh', ['-c', script], {
    env: { ...env, ...tradepostEnvironment },
    cwd: folder.path,
  });
  expect(checked.code).toBe(0);
  const sent = receiver.arrivals[0]?.body ?? Buffer.alloc(0);
  expect(await readFile(join(folder.path, 'body.json'))).toEqual(sent);
  const digest = createHash('sha256').update(sent).digest('hex');
  expect(checked.stderr).toContain(`SHA-256 ${digest}.\n`);
  expect(checked.stdout).toContain('order.status_changed');
});

it('the CLI replaces a secret in two steps', async () => {
  const seeded = await forTest(startSeededServer(['--allow-insecure-webhooks']));
  const folder = await forTest(temporaryFolder());
  const receiver = await startAdjustableReceiver(204);
  const env = seeded.createEnvironment(seeded.seller);
  const cli = (...argv: string[]) => runCli(['webhooks', ...argv, '--output', 'json'], env);
  const [before, after] = ['before', 'after'].map((name) => join(folder.path, name));
  const events = ['--events', 'order.created'];
  const { id } = JSON.parse(
    (await cli('register', '--url', receiver.url, ...events, '--secret-file', before ?? '')).stdout,
  );

  const early = await cli('rotate-secret', id, '--promote', '--yes');
  expect(early.code).toBe(6);
  const staged = await cli('rotate-secret', id, '--secret-file', after ?? '');
  expect(JSON.parse(staged.stdout)).toEqual({ webhookId: id, stagedAt: expect.any(String) });

  const verifies = async (secretFile = '') => {
    expect((await cli('test', id, '--event', 'task.completed', '--wait')).code).toBe(0);
    const arrival = receiver.arrivals.at(-1);
    const signature = ['--signature', String(arrival?.headers['service-signature'])];
    const argv = ['webhooks', 'verify', '--secret-file', secretFile, ...signature];
    return (await runCli(argv, {}, String(arrival?.body))).code;
  };
  expect([await verifies(before), await verifies(after)]).toEqual([0, 1]);
  expect((await cli('rotate-secret', id, '--promote', '--yes')).code).toBe(0);
  expect([await verifies(before), await verifies(after)]).toEqual([1, 0]);
});

it('the CLI pauses, resumes and deletes a webhook', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const cli = (...argv: string[]) => runCli(['webhooks', ...argv, '--output', 'json'], env);
  const url = ['--url', 'https://receiver.example/tradepost'];
  const registered = await cli('register', ...url, '--events', 'order.created');
  const { id } = JSON.parse(registered.stdout);
  expect(JSON.parse((await cli('pause', id)).stdout)).toMatchObject({ status: 'paused' });
  const paused = await cli('test', id, '--event', 'order.created');
  expect(paused.code).toBe(6);
  expect(JSON.parse(paused.stderr).error.hint).toContain('tradepost webhooks resume');
  expect(JSON.parse((await cli('resume', id)).stdout)).toMatchObject({ status: 'active' });
  expect(JSON.parse((await cli('delete', id, '--yes')).stdout)).toEqual({
    id,
    url: url[1],
    events: ['order.created'],
    deleted: true,
  });
  expect(JSON.parse((await cli('list')).stdout)).toEqual([]);
  expect((await cli('get', id)).code).toBe(5);
});
