import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forTest } from '../../../test/helpers/for-test';
import { temporaryFolder } from '../../../test/helpers/temporary-folder';
import { coreChecks } from '../src/checks/all-checks';
import { runProgram as run } from './run-program';

test('list prints the ID of every check', async () => {
  const { code, out } = await run(['list', '--ids']);
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual(expect.arrayContaining(coreChecks.map(({ id }) => id)));
});

test('explain prints the sentence and the method of a check', async () => {
  const { code, out } = await run(['explain', 'sig-1']);
  expect(code).toBe(0);
  expect(out).toContain('"Every delivery includes the header `Service-Signature`."');
});

test('explain ends with 2 for a check that does not exist', async () => {
  expect(await run(['explain', 'SIG-99'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no check SIG-99'),
  });
});

test('init writes a profile and overwrites none', async () => {
  const { path } = await forTest(temporaryFolder());
  const file = join(path, 'p.yaml');
  const { code, out } = await run(['init', '--profile', file]);
  expect(code).toBe(0);
  expect(out).toContain(`${join(path, 'conformance-ca.key.pem')} has the private key`);
  expect(out).toContain('do not commit it');
  const written = await readFile(file, 'utf8');
  expect(written).toContain('keys:');
  expect(await run(['init', '--profile', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('It exists'),
  });
  expect(await readFile(file, 'utf8')).toBe(written);
});

test('check reads conformance.yaml, and says how to write one', async () => {
  expect(await run(['check'])).toMatchObject({
    code: 2,
    err: 'error: There is no conformance.yaml. Run init first: tradepost-conformance init --profile conformance.yaml\n',
  });
});

test.each([
  ['--quick', '--only', 'RTY'],
  ['--only', 'RTY-8,RTY-9'],
  ['--level', 'core', '--only', 'IDM'],
  ['--only', 'SIG', '--skip', 'SIG'],
])(
  'check %s %s %s %s leaves no check: it ends with 2 before it reads the profile',
  async (...args) => {
    const { code, out, err } = await run(['check', '--profile', '/dev/null/p', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      /^error: The options leave no check to judge\. See tradepost-conformance list/,
    );
  },
);

test('an empty list of checks names list', async () => {
  const { code, err } = await run(['check', '--only', '']);
  expect(code).toBe(2);
  expect(err).toMatch(/There is no check ""\. See tradepost-conformance list/);
});

test.each([
  ['an option that does not exist', ['check', '--fast']],
  ['a check that does not exist', ['check', '--profile', 'p', '--only', 'NONE-1']],
  ['a report without a file', ['check', '--profile', 'p', '--report', 'json']],
  ['a profile that does not exist', ['check', '--profile', '/dev/null/p']],
])('%s ends with 2 and a message', async (_, args) => {
  const { code, err } = await run(args);
  expect(code).toBe(2);
  expect(err).toMatch(/^error: /);
  expect(err).not.toContain('    at ');
});
