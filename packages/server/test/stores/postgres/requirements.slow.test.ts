import { once } from 'node:events';
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../../src/stores/open-store';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { ImportedDatabase } from '../../../src/stores/postgres/import-rows';
import { migrateDatabase } from '../../../src/stores/postgres/migrate';
import { startPostgresServer } from '../../helpers/embedded-postgres';
import { selfSignedCertificate } from '../../helpers/self-signed-certificate';
import { makeTempFolder } from '../../helpers/temp-folder';

const folder = makeTempFolder();
const server = await startPostgresServer({ folder: folder.path, isDurable: false });
const admin = new pg.Client({ connectionString: server.url });
await admin.connect();
const certificate = await serveTls();
afterAll(async () => {
  await admin.end();
  await server.stop();
  folder.remove();
});

/** Lets the server also accept TLS. Returns the file of its certificate, which is for 127.0.0.1. */
async function serveTls(): Promise<string> {
  const { cert, key } = selfSignedCertificate();
  const files = { cert: join(folder.path, 'server.crt'), key: join(folder.path, 'server.key') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  const { uid, gid } = statSync(join(folder.path, 'data'));
  chownSync(files.key, uid, gid);
  await admin.query(`ALTER SYSTEM SET ssl_cert_file = '${files.cert}'`);
  await admin.query(`ALTER SYSTEM SET ssl_key_file = '${files.key}'`);
  await admin.query('ALTER SYSTEM SET ssl = on');
  await admin.query('SELECT pg_reload_conf()');
  await vi.waitFor(async () => {
    const { rows } = await admin.query<{ ssl: string }>('SHOW ssl');
    expect(rows).toEqual([{ ssl: 'on' }]);
  }, 20_000);
  return files.cert;
}

/** Creates a database. Returns its URL. */
async function createDatabase(name: string, settings = ''): Promise<URL> {
  await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE template0 ${settings}`);
  onTestFinished(async () => {
    await admin.query(`DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  });
  return new URL(encodeURIComponent(name), server.url);
}

/** Opens a store, and returns how its connections are encrypted. */
async function openAndReadTls(url: string): Promise<(boolean | null)[]> {
  const store = await openStore(url);
  try {
    const { rows } = await admin.query<{ ssl: boolean }>(
      "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'tradepost %'",
    );
    return rows.map(({ ssl }) => ssl);
  } finally {
    await store.close();
  }
}

describe.each([
  ['LATIN1', "ENCODING 'LATIN1' LOCALE 'C'"],
  ['SQL_ASCII', "ENCODING 'SQL_ASCII' LOCALE 'C'"],
])('a database with the encoding %s', (encoding, settings) => {
  const ways: [string, (url: string) => Promise<unknown>][] = [
    ['start', (url) => openStore(url)],
    ['a command', (url) => openStore(url, { mayMigrate: false })],
    ['migrate', (url) => migrateDatabase(url, { dryRun: false })],
    ['migrate --dry-run', (url) => migrateDatabase(url, { dryRun: true })],
    ['check', (url) => checkDatabase(url, 0)],
    ['migrate-store', (url) => new ImportedDatabase(url).inspect()],
  ];
  test.each(ways)('is rejected by %s, and gets no tables', async (_, open) => {
    const { href } = await createDatabase('other_encoding', settings);
    await expect(open(href)).rejects.toThrow(
      `/other_encoding has the encoding ${encoding}, which cannot store all texts; UTF8 is needed. Create another database: CREATE DATABASE tradepost ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0.`,
    );
    const client = new pg.Client({ connectionString: href });
    await client.connect();
    const { rows } = await client.query(
      "SELECT 1 FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    );
    await client.end();
    expect(rows).toEqual([]);
  });
});

describe('a database with the views of an extension', () => {
  /** Creates a database with pg_stat_statements in its schema, and what else a statement creates there. */
  async function createExtended(statement = ''): Promise<string> {
    const { href } = await createDatabase('extended');
    const client = new pg.Client({ connectionString: href });
    await client.connect();
    await client.query(`CREATE EXTENSION pg_stat_statements; ${statement}`);
    await client.end();
    return href;
  }

  test('is used by migrate and by everything after it', async () => {
    const url = await createExtended();
    expect(await migrateDatabase(url, { dryRun: false })).toMatchObject({ from: 0 });
    const store = await openStore(url, { mayMigrate: false });
    await store.close();
    const { checks } = await checkDatabase(url, 0);
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
    const imported = new ImportedDatabase(url);
    expect(await imported.inspect()).toBeNull();
    await imported.close();
  });

  test.each([
    'CREATE TABLE products (id INTEGER)',
    'CREATE VIEW products AS SELECT 1 AS id',
    'CREATE MATERIALIZED VIEW products AS SELECT 1 AS id',
    'CREATE TABLE products (id INTEGER) PARTITION BY HASH (id)',
  ])('is rejected if another program has %s', async (statement) => {
    const url = await createExtended(statement);
    await expect(migrateDatabase(url, { dryRun: false })).rejects.toThrow(
      'has tables of another program and was not changed',
    );
  });
});

test('a database whose name needs percent-encoding is opened', async () => {
  const { href } = await createDatabase('trade #1/ä%20');
  const store = await openStore(href);
  await store.check();
  await store.close();
});

test('a database with default_transaction_read_only is not called a standby', async () => {
  const { href } = await createDatabase('read_only');
  await admin.query('ALTER DATABASE read_only SET default_transaction_read_only = on');
  const error = await openStore(href).catch((reason: Error) => reason);
  expect(error).toMatchObject({ name: 'StoreUnavailableError' });
  const { message } = error as Error;
  expect(message).toContain('default_transaction_read_only is on. Turn it off for the role');
  expect(message).not.toContain('standby');
});

describe('a database by TLS', () => {
  test.each([
    ['sslmode=disable', false],
    ['sslmode=require', true],
    ['sslmode=require&sslrootcert=FILE', true],
    ['sslmode=verify-ca&sslrootcert=FILE', true],
    ['sslmode=verify-full&sslrootcert=FILE', true],
  ])('is opened with %s, and nothing is written to stderr', async (query, isEncrypted) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { href } = await createDatabase('by_tls');
    const url = `${href}?${query.replace('FILE', certificate)}`;
    expect(await openAndReadTls(url)).toEqual([isEncrypted]);
    // Warnings are emitted in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  test('that presents the certificate of another host is opened with verify-ca only', async () => {
    const url = await createDatabase('other_host');
    url.hostname = 'localhost';
    const file = `sslrootcert=${certificate}`;
    expect(await openAndReadTls(`${url.href}?sslmode=verify-ca&${file}`)).toEqual([true]);
    await expect(openStore(`${url.href}?sslmode=verify-full&${file}`)).rejects.toThrow(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
  });

  test.each(['require', 'verify-ca', 'verify-full'])(
    'with a certificate of another authority is rejected with a root certificate and %s',
    async (mode) => {
      const { href } = await createDatabase('other_authority');
      const other = join(folder.path, 'other.crt');
      writeFileSync(other, selfSignedCertificate().cert);
      await expect(openStore(`${href}?sslmode=${mode}&sslrootcert=${other}`)).rejects.toThrow(
        /Cannot open the database .*(SELF_SIGNED|UNABLE|CERT|signature)/,
      );
    },
  );

  test('on another machine is opened only with a certificate that is verified, or if the URL says otherwise', async () => {
    const url = await createDatabase('other_machine');
    // The same machine by a name that is not known as such.
    url.hostname = '127.1';
    await expect(openStore(url.href)).rejects.toThrow(
      /SELF_SIGNED.* Add sslrootcert=… .* or sslmode=disable on a network that you trust\.$/,
    );
    expect(await openAndReadTls(`${url.href}?sslmode=disable`)).toEqual([false]);
    const withoutTls = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write('N'));
    });
    withoutTls.listen(0, '127.0.0.1');
    onTestFinished(() => void withoutTls.close());
    await once(withoutTls, 'listening');
    url.port = String((withoutTls.address() as AddressInfo).port);
    await expect(openStore(url.href)).rejects.toThrow(
      /The server does not support SSL connections\. .* or sslmode=disable/,
    );
  });

  test('is rejected with verify-full if its authority is unknown', async () => {
    const { href } = await createDatabase('unknown_authority');
    await expect(openStore(`${href}?sslmode=verify-full`)).rejects.toThrow('SELF_SIGNED');
  });
});
