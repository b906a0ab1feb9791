import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startMinimalService } from '../../../test/conformance/minimal-service/start';
import { forTest } from '../../../test/helpers/for-test';
import { findUnusedPort, startHttpServer } from '../../../test/helpers/loopback';
import { temporaryFolder } from '../../../test/helpers/temporary-folder';
import { startReceiver } from '../src/receiver/receiver';
import { runProgram as run, startProgram } from './run-program';

/** Starts a service and writes its profile. */
async function prepare(lines: string[] = [], baseUrl?: string) {
  const service = await forTest(startMinimalService());
  const folder = await forTest(temporaryFolder());
  const profile = join(folder.path, 'profile.yaml');
  const { buyer, seller, agent, stranger } = service.accounts;
  writeFileSync(
    profile,
    [
      `baseUrl: ${baseUrl ?? service.baseUrl}`,
      `keys: { buyer: ${buyer.key}, seller: { env: SELLER }, agent: ${agent.key}, stranger: ${stranger.key} }`,
      `listing: ${service.listings.plain}`,
      'receiver: { http: {} }',
      'events: { withinSeconds: 5, quietSeconds: 0.3 }',
      'waivers:',
      '  - { check: EVT-3, reason: the receiver of this test has no certificate }',
      ...lines,
    ].join('\n'),
  );
  return { profile, env: { SELLER: seller.key }, folder: folder.path };
}
const quick = ['check', '--quick', '--level', 'core', '--profile'];

test('a service that conforms ends with 0, and reports are written', async () => {
  const { profile, env, folder } = await prepare();
  const file = join(folder, 'report.json');
  const { code, out, err } = await run([...quick, profile, '--report', `json=${file}`], env);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('Exit code 0.');
  const report = JSON.parse(await readFile(file, 'utf8'));
  expect(report).toMatchObject({ exitCode: 0, mode: 'quick', interrupted: null });
  expect(JSON.stringify(report)).not.toContain(env.SELLER);
});

test('a waiver that matches no failure ends with 1', async () => {
  const { profile, env } = await prepare(['  - { check: UPD-2, reason: coarse }']);
  const { code, out } = await run([...quick, profile], env);
  expect(code).toBe(1);
  expect(out).toContain('remove the waiver');
});

test('no check that was judged ends with 2', async () => {
  const { profile, env } = await prepare();
  const { code, out } = await run([...quick, profile, '--only', 'VIS-5'], env);
  expect([code, out.includes('No check was judged.')]).toEqual([2, true]);
});

test('a report that cannot be written ends with 2 before the service gets a request', async () => {
  const requests: unknown[] = [];
  const server = await forTest(startHttpServer((request) => requests.push(request)));
  const { profile, env, folder } = await prepare([], server.url);
  const { code, err } = await run([...quick, profile, '--report', `html=${folder}`], env);
  expect([code, requests]).toEqual([2, []]);
  expect(err).toMatch(/^error: Cannot write the report .*EISDIR/);
});

test('a waiver of a check that does not exist names list', async () => {
  const { profile, env } = await prepare(['  - { check: UPD-99, reason: none }']);
  expect(await run([...quick, profile], env)).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no such check. See tradepost-conformance list.'),
  });
});

test.each([
  [
    301,
    { location: 'https://elsewhere.example/' },
    '(Location: https://elsewhere.example/). Is base',
  ],
  [404, {}, 'HTTP 404. Is baseUrl in the profile right?'],
  [500, {}, 'HTTP 500. Look at the log of the service.'],
])('a baseUrl that responds with %i to everything ends with 2', async (status, headers, shown) => {
  const server = await forTest(
    startHttpServer((_, response) => response.writeHead(status, headers).end()),
  );
  const { profile, env } = await prepare([], server.url);
  const { code, err } = await run([...quick, profile], env);
  expect(code).toBe(2);
  expect(err).toContain(shown);
});

test('a baseUrl with https at a port of http ends with 2 and names the protocol', async () => {
  const server = await forTest(startHttpServer((_, response) => response.end()));
  const { profile, env } = await prepare([], server.url.replace('http:', 'https:'));
  const { code, err } = await run([...quick, profile], env);
  expect(code).toBe(2);
  expect(err).toMatch(/Check whether baseUrl in the profile has the right protocol/);
});

test('a baseUrl with http at a port of https ends with 2 and names the protocol', async () => {
  const { path } = await forTest(temporaryFolder());
  const https = { host: '127.0.0.1', port: 0, caFile: join(path, 'ca.pem') };
  const server = await forTest(startReceiver({ https }, 'run-0'));
  const { profile, env } = await prepare([], server.baseUrl.replace('https:', 'http:'));
  const { code, err } = await run([...quick, profile], env);
  expect(code).toBe(2);
  expect(err).toMatch(/Check whether baseUrl in the profile has the right protocol/);
});

test('a host that does not exist ends with 2 and names baseUrl', async () => {
  const { profile, env } = await prepare([], 'http://nobody.invalid');
  const { code, err } = await run([...quick, profile], env);
  expect(code).toBe(2);
  expect(err).toMatch(
    /^error: Cannot reach http:\/\/nobody\.invalid: .*heck baseUrl in the profile/,
  );
});

test('a service that cannot be reached ends with 2 and says what to check', async () => {
  const { profile, env } = await prepare([], `http://127.0.0.1:${await findUnusedPort()}`);
  const { code, err } = await run([...quick, profile], env);
  expect(code).toBe(2);
  expect(err).toMatch(/^error: Cannot reach http.*ECONNREFUSED.*Check baseUrl/);
});

test('a key that is refused ends with 2 and names its field', async () => {
  const { profile } = await prepare();
  const { code, err } = await run([...quick, profile], { SELLER: 'of nobody' });
  expect([code, err]).toEqual([2, expect.stringContaining('Check keys.seller in the profile.')]);
});

test('an interrupted run cleans up, reports and ends with 2; a second signal ends at once', async () => {
  const { profile, env } = await prepare();
  const running = startProgram([...quick, profile], env);
  // The run needs more than a second, and has read its profile by then.
  await new Promise((resolve) => setImmediate(resolve));
  running.interrupt();
  const { code, out, err } = await running.ended;
  expect(code).toBe(2);
  expect(out).toContain('Interrupted: by a signal');
  expect(err).toContain('Stopping');
  running.interrupt();
  expect(running.exits).toEqual([130]);
});
