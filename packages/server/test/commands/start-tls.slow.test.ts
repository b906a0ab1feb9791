import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Child } from '../helpers/child';
import { type Certificate, selfSignedCertificate } from '../helpers/self-signed-certificate';
import { tempFile } from '../helpers/temp-folder';

const main = new URL('../../src/main.ts', import.meta.url);

function writeFiles({ cert, key }: Certificate) {
  const certFile = tempFile('cert.pem');
  const keyFile = join(dirname(certFile), 'key.pem');
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  return { certFile, keyFile, database: join(dirname(certFile), 'trade.db') };
}

function start(args: string[]): Child {
  return new Child({ file: main, stderr: 'unread' }, 'start', '--port', '0', ...args);
}

/** Reads the log until a line has this message. */
async function untilLogged(log: AsyncIterator<string>, message: string): Promise<string> {
  for (let line = await log.next(); !line.done; line = await log.next()) {
    if (line.value.includes(message)) return line.value;
  }
  throw new Error(`The server ended without: ${message}`);
}

async function readLive(url: string, { cert }: Certificate): Promise<string> {
  const [response] = await once(get(`${url}/livez`, { ca: cert, agent: false }), 'response');
  return text(response);
}

test('a server with a certificate prints an https URL, warns of its expiry, and reloads it at SIGHUP', async () => {
  const files = writeFiles(selfSignedCertificate({ expired: true }));
  const child = start([
    ...['--database', files.database, '--role', 'api'],
    ...['--tls-cert', files.certFile, '--tls-key', files.keyFile],
  ]);
  const log = createInterface(child.stderr)[Symbol.asyncIterator]();
  const [, url = ''] =
    /^listening on (https:\/\/127\.0\.0\.1:\d+)$/.exec(await child.readLine()) ?? [];
  await untilLogged(log, 'the TLS certificate has expired');

  const renewed = selfSignedCertificate();
  writeFileSync(`${files.certFile}.new`, renewed.cert);
  writeFileSync(`${files.keyFile}.new`, renewed.key);
  renameSync(`${files.certFile}.new`, files.certFile);
  renameSync(`${files.keyFile}.new`, files.keyFile);
  child.signal('SIGHUP');
  await untilLogged(log, 'TLS certificate reloaded');
  expect(await readLive(url, renewed)).toBe('{"status":"ok"}');

  // A request for a file that cannot be used ends nothing.
  writeFileSync(files.keyFile, 'hello');
  child.signal('SIGHUP');
  await untilLogged(log, 'the TLS certificate could not be reloaded');
  expect(await readLive(url, renewed)).toBe('{"status":"ok"}');

  child.signal('SIGTERM');
  await untilLogged(log, 'the server stopped');
  expect(await child.finish()).toBe(0);
});

test('SIGHUP does not end a worker that has the same certificate configured', async () => {
  const files = writeFiles(selfSignedCertificate());
  const child = start([
    ...['--database', files.database, '--role', 'worker'],
    ...['--tls-cert', files.certFile, '--tls-key', files.keyFile],
  ]);
  const log = createInterface(child.stderr)[Symbol.asyncIterator]();
  await child.readLine();
  child.signal('SIGHUP');
  child.signal('SIGTERM');
  await untilLogged(log, '"signal":"SIGTERM"');
  child.signal('SIGHUP');
  await untilLogged(log, 'the server stopped');
  expect(await child.finish()).toBe(0);
});

test('SIGHUP stops a server without a certificate completely, as when its terminal is closed', async () => {
  const { database } = writeFiles(selfSignedCertificate());
  const child = start(['--database', database]);
  const log = createInterface(child.stderr)[Symbol.asyncIterator]();
  await child.readLine();
  child.signal('SIGHUP');
  await untilLogged(log, '"signal":"SIGHUP"');
  child.signal('SIGHUP');
  await untilLogged(log, 'the server stopped');
  expect(await child.finish()).toBe(0);
});

test('a server that cannot use its certificate ends with 1, one line and no database', async () => {
  const { certFile, keyFile, database } = writeFiles({
    ...selfSignedCertificate(),
    key: selfSignedCertificate().key,
  });
  const child = start(['--database', database, '--tls-cert', certFile, '--tls-key', keyFile]);
  const output = text(child.stderr);
  expect(await child.finish()).toBe(1);
  const errors = (await output).split('\n').filter((line) => !line.startsWith('{'));
  expect(errors).toEqual([expect.stringMatching(/^error: --tls-key .* is not the key of /), '']);
});
