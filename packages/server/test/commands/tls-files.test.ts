import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { expect, test } from 'vitest';
import { OperatorError, UsageError } from '../../src/commands/operator-error';
import {
  type LoadedTls,
  readTlsFiles,
  TlsFollower,
  warnOfDates,
} from '../../src/commands/tls-files';
import { CapturedLog } from '../helpers/captured-log';
import { type Certificate, selfSignedCertificate } from '../helpers/self-signed-certificate';
import { tempFile } from '../helpers/temp-folder';

const minute = 60_000;
const good = selfSignedCertificate();

function writeFiles({ cert, key }: Certificate = good) {
  const tlsCert = tempFile('cert.pem');
  const tlsKey = join(dirname(tlsCert), 'key.pem');
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key);
  return { tlsCert, tlsKey };
}

/** Returns the message of the error for these files, which must not have anything of a key. */
function readError(files: Partial<ReturnType<typeof writeFiles>>): string {
  try {
    readTlsFiles(files);
  } catch (error) {
    if (error instanceof OperatorError) {
      expect(error.message).not.toMatch(/PRIVATE KEY-----\n/);
      return error.message;
    }
    throw error;
  }
  throw new Error('The files were accepted.');
}

test('a certificate and its key are read with their dates; neither means plain HTTP', () => {
  expect(readTlsFiles({})).toBeNull();
  expect(readTlsFiles(writeFiles())).toEqual({
    ...good,
    validFrom: Date.UTC(2020, 0, 1),
    validTo: Date.UTC(9999, 11, 31, 23, 59, 59),
  });
});

test('one option without the other is an error that names the missing one', () => {
  const { tlsCert, tlsKey } = writeFiles();
  expect(readError({ tlsCert })).toContain('--tls-cert is set, but --tls-key is not.');
  expect(readError({ tlsKey })).toContain('--tls-key is set, but --tls-cert is not.');
  expect(() => readTlsFiles({ tlsKey })).toThrow(UsageError);
});

test('a file that cannot be read is an error that names it and the reason', () => {
  const files = writeFiles();
  const folder = dirname(files.tlsCert);
  expect(readError({ ...files, tlsCert: `${folder}/none` })).toBe(
    `Cannot read --tls-cert ${folder}/none: ENOENT: no such file or directory.`,
  );
  expect(readError({ ...files, tlsKey: folder })).toBe(
    `Cannot read --tls-key ${folder}: EISDIR: illegal operation on a directory.`,
  );
});

test.each([
  ['no certificate', { cert: 'hello' }, 'is not a certificate in PEM'],
  ['an empty certificate', { cert: '' }, 'is not a certificate in PEM'],
  ['a certificate that is cut off', { cert: good.cert.slice(0, -40) }, 'or is not complete'],
  ['a key that is cut off', { key: good.key.slice(0, -40) }, 'or is not complete'],
  ['a key in place of the certificate', { cert: good.key }, 'is not a certificate in PEM'],
  ['no key', { key: 'hello' }, 'is not a private key in PEM'],
  ['a certificate in place of the key', { key: good.cert }, 'is not a private key in PEM'],
  ['the key of another certificate', { key: selfSignedCertificate().key }, 'is not the key of'],
  [
    'a chain that starts with another certificate',
    { cert: selfSignedCertificate().cert + good.cert },
    'must come first',
  ],
  [
    'a damaged certificate after the first',
    { cert: good.cert + good.cert.replace('MII', 'AAA') },
    'cannot be used',
  ],
  [
    'an encrypted key',
    {
      key: createPrivateKey(good.key)
        .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
        .toString(),
    },
    'is encrypted with a passphrase',
  ],
  [
    'a public key',
    {
      key: generateKeyPairSync('ed25519').publicKey.export({
        type: 'spki',
        format: 'pem',
      }) as string,
    },
    'is not a private key in PEM',
  ],
])('%s is an error', (_what, part, message) => {
  expect(readError(writeFiles({ ...good, ...part }))).toContain(message);
});

test('a certificate that has expired, expires within a week or is not valid yet is reported', () => {
  const logs = new CapturedLog();
  const tls = readTlsFiles(writeFiles(selfSignedCertificate({ expired: true }))) as LoadedTls;
  const day = 24 * 60 * minute;
  warnOfDates(tls, tls.validTo - 8 * day, logs.log);
  warnOfDates({ ...tls, validFrom: 0 }, tls.validTo - 8 * day, logs.log);
  warnOfDates({ ...tls, validFrom: 0 }, tls.validTo - 6 * day, logs.log);
  warnOfDates(tls, tls.validTo + 1, logs.log);
  warnOfDates(tls, tls.validFrom - 1, logs.log);
  expect(logs.text.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringContaining('is not valid yet'),
    'the TLS certificate expires soon',
    'the TLS certificate has expired: clients reject it',
    'the TLS certificate is not valid yet',
  ]);
});

/** Follows files that a test replaces. */
function follow() {
  const files = writeFiles();
  const clock = new FakeClock();
  const logs = new CapturedLog();
  const renewed: LoadedTls[] = [];
  const follower = new TlsFollower({
    files,
    current: readTlsFiles(files) as LoadedTls,
    clock,
    log: logs.log,
    onRenewed: (tls) => renewed.push(tls),
  });
  const replace = (file: string, text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  return { files, clock, logs, renewed, follower, replace };
}

test('renewed files are used within a minute, once', async () => {
  const { files, clock, logs, renewed, replace } = follow();
  await clock.advance(10 * minute);
  expect(renewed).toEqual([]);
  const next = selfSignedCertificate();
  replace(files.tlsCert, next.cert);
  replace(files.tlsKey, next.key);
  await clock.advance(5 * minute);
  expect(renewed).toEqual([expect.objectContaining(next)]);
  expect(await logs.next('TLS certificate reloaded')).toMatchObject({
    validTo: '9999-12-31T23:59:59.000Z',
  });
  expect(logs.text).toHaveLength(1);
});

test('files that do not match while they are replaced are used once both are there', async () => {
  const { files, clock, logs, renewed, follower, replace } = follow();
  const next = selfSignedCertificate();
  replace(files.tlsCert, next.cert);
  await clock.advance(3 * minute);
  expect(renewed).toEqual([]);
  expect(logs.text.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, reason: expect.stringContaining('is not the key of') }),
  ]);
  replace(files.tlsKey, next.key);
  follower.reload();
  expect(renewed).toEqual([expect.objectContaining(next)]);
  expect(follower.current).toMatchObject(next);
});

test('a missing file changes nothing, and a server that rejects the files is asked again', async () => {
  const { files, clock, logs, renewed } = follow();
  rmSync(files.tlsKey);
  await clock.advance(minute);
  expect(renewed).toEqual([]);
  expect(
    await logs.next('the TLS certificate could not be reloaded; the previous one is used'),
  ).toMatchObject({ reason: expect.stringContaining('ENOENT') });
});

test('a follower that was stopped has no timer', () => {
  const { clock, follower } = follow();
  expect(clock.pendingTimers).toBe(1);
  follower.stop();
  expect(clock.pendingTimers).toBe(0);
});
