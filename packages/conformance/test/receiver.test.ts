import { rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { forTest } from '../../../test/helpers/for-test';
import { temporaryFolder } from '../../../test/helpers/temporary-folder';
import type { Profile } from '../src/profile/profile';
import { openAuthority } from '../src/receiver/certificates';
import { startReceiver } from '../src/receiver/receiver';

const plain = { http: { host: '127.0.0.1', port: 0 } };

const start = async (receiver: Profile['receiver'] = plain) => {
  const started = await startReceiver(receiver, 'run-1');
  onTestFinished(started.close);
  return started;
};

/** Sends a delivery, and resolves with the status, the header Location or the code of the error. */
const post = (url: string, body: string, ca?: string) =>
  new Promise<{ status?: number | undefined; location?: string | undefined; error?: string }>(
    (resolve) => {
      const options = { method: 'POST', agent: false, headers: { 'X-Odd-Case': 'a' } } as const;
      const request = url.startsWith('https:')
        ? httpsRequest(url, { ...options, ca })
        : httpRequest(url, options);
      request.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ error: code ?? '' }));
      request.on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode, location: response.headers.location });
      });
      request.end(body);
    },
  );

test.each([200, 201, 202, 204, 404, 429, 500])('the receiver responds with %i', async (status) => {
  const receiver = await start();
  const result = await post(receiver.behave('hook', status), '{}');
  expect(result.status).toBe(status);
  expect(receiver.deliveries[0]).toMatchObject({ hook: 'hook', behaviour: status, tls: false });
});

test('the receiver records bytes, headers and the target as they arrived', async () => {
  const receiver = await start();
  const url = receiver.behave('hook', 204);
  await post(url, '{ "a":\t"é" }');
  const [delivery] = receiver.deliveries;
  expect(delivery?.body.toString()).toBe('{ "a":\t"é" }');
  expect(delivery?.headers).toContainEqual(['X-Odd-Case', 'a']);
  expect(url.endsWith(delivery?.target ?? 'none')).toBe(true);
  expect(delivery?.json).toEqual({ a: 'é' });
});

test('the receiver redirects to a trap, which is a path of the run', async () => {
  const receiver = await start();
  receiver.behave('trap', 404);
  const { status, location } = await post(receiver.behave('hook', 302), '{}');
  expect(status).toBe(302);
  expect((await post(location ?? '', '{}')).status).toBe(404);
  expect(receiver.deliveries.map(({ hook }) => hook)).toEqual(['hook', 'trap']);
});

test('the receiver closes a connection without a response', async () => {
  const receiver = await start();
  expect(await post(receiver.behave('hook', 'close'), '{}')).toEqual({ error: 'ECONNRESET' });
});

test('the receiver holds a delivery until it is calmed', async () => {
  const receiver = await start();
  let result: object | undefined;
  const posted = post(receiver.behave('hook', 'hang'), '{}').then((one) => {
    result = one;
  });
  const { signal } = new AbortController();
  await receiver.waitUntil(() => receiver.deliveries.length > 0, 60_000, signal);
  await turn();
  expect(result).toBeUndefined();
  receiver.calm();
  await posted;
  expect(result).toMatchObject({ status: 204 });
});

test('work before the response can change the behaviour', async () => {
  const receiver = await start();
  receiver.beforeResponse('hook', async (delivery) => {
    delivery.behaviour = 202;
  });
  expect((await post(receiver.behave('hook', 500), '{}')).status).toBe(202);
});

test('a path that was never registered is not found', async () => {
  const receiver = await start();
  const url = receiver.behave('hook', 200);
  expect((await post(url.replace('/hook?', '/other?'), '{}')).status).toBe(404);
  expect((await post(url.replace('/run-1/', '/'), '{}')).status).toBe(404);
  expect(receiver.deliveries.map(({ hook }) => hook)).toEqual([null, null]);
});

test('the receiver accepts deliveries to webhooks of other runs, and records none', async () => {
  const receiver = await start();
  const url = receiver.behave('hook', 500);
  expect((await post(url.replace('run-1', 'run-0'), '{}')).status).toBe(204);
  expect(receiver.deliveries).toEqual([]);
});

test('a port in use names the field of the profile', async () => {
  const { baseUrl } = await start();
  const address = { host: '127.0.0.1', port: Number(new URL(baseUrl).port) };
  const publicUrl = 'https://tunnel.example';
  await expect(startReceiver({ http: address }, 'run-2')).rejects.toThrow(
    /\(EADDRINUSE\).* receiver\.http in the profile\.$/,
  );
  await expect(startReceiver({ publicUrl, listen: address }, 'run-2')).rejects.toThrow(
    'receiver.listen in the profile',
  );
});

test('receivers of all runs serve HTTPS with certificates of one authority', async () => {
  const folder = await forTest(temporaryFolder());
  const https = { host: '127.0.0.1', port: 0, caFile: join(folder.path, 'ca.pem') };
  const { cert } = await openAuthority(https.caFile);
  for (const receiver of [await start({ https }), await start({ https })]) {
    const url = receiver.behave('hook', 204);
    expect((await post(url, '{}', cert)).status).toBe(204);
    expect((await post(url, '{}')).error).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(receiver.deliveries.map(({ tls }) => tls)).toEqual([true]);
  }
});

test('the key of the authority is readable by its user alone, and is not replaced when it is lost', async () => {
  const folder = await forTest(temporaryFolder());
  const caFile = join(folder.path, 'ca.pem');
  await openAuthority(caFile);
  const key = join(folder.path, 'ca.key.pem');
  expect((await stat(key)).mode & 0o777).toBe(0o600);
  await rm(key);
  await expect(openAuthority(caFile)).rejects.toThrow(`There is no ${key}.`);
});

test('a public URL is what the service gets, with the path of the run', async () => {
  const listen = { host: '127.0.0.1', port: 0 };
  const receiver = await start({ publicUrl: 'https://tunnel.example/hooks/', listen });
  expect(receiver.behave('hook', 204)).toMatch(/^https:\/\/tunnel\.example\/hooks\/run-1\/hook\?/);
});

test('waiting ends without a result when the run is interrupted', async () => {
  const receiver = await start();
  expect(await receiver.waitUntil(() => false, 60_000, AbortSignal.abort())).toBe(false);
});
