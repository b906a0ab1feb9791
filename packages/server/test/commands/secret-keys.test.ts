import { chmodSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { OperatorError } from '../../src/commands/operator-error';
import { isReadableByOthers, readSecretKeys } from '../../src/commands/secret-keys';
import { generateSecretKey, parseSecretKeys } from '../../src/stores/encryption';
import { tempFile } from '../helpers/temp-folder';

const [one, other] = [generateSecretKey(), generateSecretKey()];
const ids = parseSecretKeys(`${one},${other}`).map(({ id }) => id);

function keyFile(text: string): string {
  const file = tempFile('secret-keys');
  writeFileSync(file, text);
  return file;
}

const read = (secretKeyFile?: string, env: Record<string, string> = {}) =>
  readSecretKeys(secretKeyFile === undefined ? {} : { secretKeyFile }, env).map(({ id }) => id);

test('secret keys are read from a file or from TRADEPOST_SECRET_KEY, in their order', () => {
  expect(read()).toEqual([]);
  expect(read(keyFile(`${one}\n# of 2025:\n${other}\n`))).toEqual(ids);
  expect(read(undefined, { TRADEPOST_SECRET_KEY: `${one},${other}` })).toEqual(ids);
});

test('secret keys in both places are rejected, because one of them would be ignored', () => {
  const file = keyFile(one);
  const both = () => read(file, { TRADEPOST_SECRET_KEY: other });
  expect(both).toThrow(OperatorError);
  expect(both).toThrow(`Both --secret-key-file (${file}) and TRADEPOST_SECRET_KEY are set.`);
});

test.each([
  ['an empty variable', ''],
  ['a variable with a short key', one.slice(0, 30)],
  ['a variable with a password', 'hunter2'],
])('%s is rejected and not shown', (_what, text) => {
  const invalid = () => read(undefined, { TRADEPOST_SECRET_KEY: text });
  expect(invalid).toThrow(OperatorError);
  expect(invalid).toThrow('The secret keys in TRADEPOST_SECRET_KEY are not valid.');
  if (text !== '') expect(invalid).not.toThrow(text);
});

test('a file that is empty, cut off or missing is rejected by its name', () => {
  for (const text of ['', '# none yet', one.slice(0, -8)]) {
    const file = keyFile(text);
    expect(() => read(file)).toThrow(`The secret keys in ${file} are not valid.`);
  }
  const missing = tempFile('no-such-file');
  expect(() => read(missing)).toThrow(OperatorError);
  expect(() => read(missing)).toThrow(
    `Cannot read --secret-key-file ${missing}: ENOENT: no such file or directory.`,
  );
  const folder = dirname(missing);
  expect(() => read(folder)).toThrow(
    `Cannot read --secret-key-file ${folder}: EISDIR: illegal operation on a directory.`,
  );
});

test.skipIf(process.platform === 'win32').each([
  [0o600, false],
  [0o400, false],
  [0o640, true],
  [0o604, true],
  [0o666, true],
])('a file with the mode %o is readable by others: %s', (mode, isReadable) => {
  const file = keyFile(one);
  chmodSync(file, mode);
  expect(isReadableByOthers(file, {})).toBe(isReadable);
});

test('a credential of systemd is not reported, because its mode shows an ACL', () => {
  const file = keyFile(one);
  chmodSync(file, 0o440);
  expect(isReadableByOthers(file, { CREDENTIALS_DIRECTORY: dirname(file) })).toBe(false);
});
