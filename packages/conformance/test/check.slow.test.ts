import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startMinimalService } from '../../../test/conformance/minimal-service/start';
import { forTest } from '../../../test/helpers/for-test';
import { findUnusedPort } from '../../../test/helpers/loopback';
import { temporaryFolder } from '../../../test/helpers/temporary-folder';
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
  const { code, out } = await run([...quick, profile, '--only', 'RTY'], env);
  expect([code, out.includes('No check was judged.')]).toEqual([2, true]);
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
