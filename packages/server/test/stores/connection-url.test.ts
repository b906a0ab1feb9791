import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeDatabase, findDatabaseFault } from '../../src/stores/database-url';
import { openStore } from '../../src/stores/open-store';
import {
  parseDatabaseUrl,
  readTlsOptions,
  usesTls,
} from '../../src/stores/postgres/connection-url';
import { tempFile } from '../helpers/temp-folder';

function parse(url: string, env: NodeJS.ProcessEnv = {}) {
  return parseDatabaseUrl(url, env);
}

describe('the URL of a database', () => {
  test('is decoded in all its parts', () => {
    const url =
      'postgresql://us%40er:p%23a%2Fs%3A%25s@[::1]:5433/data%23base%2F1?options=-c%20search_path%3Dtrade';
    expect(parse(url)).toMatchObject({
      user: 'us@er',
      password: 'p#a/s:%s',
      hosts: [{ host: '::1', port: 5433 }],
      database: 'data#base/1',
      options: '-c search_path=trade',
      tls: { mode: 'verify-full', isDefault: true },
    });
  });

  test.each([
    ['postgres://u@%2Fvar%2Frun%2Fpostgresql:5433/db', '/var/run/postgresql', 5433],
    ['postgres:///db?host=/var/run/postgresql&port=5433', '/var/run/postgresql', 5433],
    ['postgres:///db', undefined, undefined],
  ])('%s leads to the socket %s', (url, host, port) => {
    expect(parse(url)).toMatchObject({ hosts: [{ host, port }], database: 'db' });
  });

  test('has several hosts, and one port for all or one for each', () => {
    const hosts = [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ];
    expect(parse('postgres://u:p@a:1,b:2/db?target_session_attrs=primary').hosts).toEqual(hosts);
    expect(parse('postgres:///db?host=a,b&port=1,2').hosts).toEqual(hosts);
    expect(parse('postgres:///db?host=a,b&port=1').hosts).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 1 },
    ]);
  });

  test.each([
    ['', { mode: 'verify-full', isDefault: true }],
    ['sslmode=disable', null],
    ['sslmode=require', { mode: 'require', isDefault: false }],
    ['sslmode=require&sslrootcert=ca.pem', { mode: 'verify-ca', sslrootcert: 'ca.pem' }],
    ['sslmode=verify-ca&sslrootcert=ca.pem', { mode: 'verify-ca', sslrootcert: 'ca.pem' }],
    ['sslmode=verify-full', { mode: 'verify-full', sslrootcert: undefined }],
    ['sslmode=verify-full&sslrootcert=system', { mode: 'verify-full', sslrootcert: undefined }],
    ['sslrootcert=ca.pem', { mode: 'verify-full', sslrootcert: 'ca.pem', isDefault: false }],
    ['sslnegotiation=direct', { mode: 'verify-full', isDirect: true, isDefault: false }],
    ['sslmode=require&sslnegotiation=direct', { mode: 'require', isDirect: true }],
  ])('with %j has the TLS settings %j', (query, tls) => {
    const parsed = parse(`postgres://h/db?${query}`).tls;
    if (tls === null) expect(parsed).toBeNull();
    else expect(parsed).toMatchObject(tls);
  });

  test.each([
    ['db.example', true],
    ['10.0.0.5', true],
    ['127.0.0.1.example', true],
    ['LocalHost', false],
    ['127.0.0.2', false],
    ['::1', false],
    ['/var/run/postgresql', false],
    [undefined, false],
  ])('encrypts connections to %s by itself: %s', (host, isEncrypted) => {
    const { tls } = parse('postgres:///db');
    if (tls === null) throw new Error('TLS settings');
    expect(usesTls(tls, host)).toBe(isEncrypted);
    const asked = { ...tls, isDefault: false };
    expect(usesTls(asked, host)).toBe(host !== '/var/run/postgresql');
  });

  test('leaves TLS to the variables of libpq, with the same meaning', () => {
    expect(parse('postgres://h/db', { PGSSLMODE: 'require' }).tls).toMatchObject({
      mode: 'require',
    });
    expect(parse('postgres://h/db?sslmode=disable', { PGSSLMODE: 'require' }).tls).toBeNull();
    expect(() => parse('postgres://h/db', { PGSSLMODE: 'prefer' })).toThrow('sslmode=prefer');
  });

  test.each([
    ['sslmode=allow', 'sslmode=allow is not supported'],
    ['sslmode=prefer', 'sslmode=prefer is not supported'],
    ['sslmode=no-verify', 'sslmode must be disable, require, verify-ca or verify-full'],
    ['sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
    ['sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
    ['sslmode=disable&sslnegotiation=direct', 'sslnegotiation=direct needs sslmode=require'],
    ['ssl_mode=require', 'has a parameter that is not supported'],
    ['ssl=true', 'has a parameter that is not supported'],
    ['client_encoding=latin1', 'has a parameter that is not supported'],
    ['target_session_attrs=any', 'only read-write and primary are supported'],
    ['port=no', 'A port must be an integer'],
    ['options=%zz', 'not followed by two hexadecimal digits'],
  ])('with %s is rejected', (query, message) => {
    expect(findDatabaseFault(`postgres://h/db?${query}`)).toContain(message);
  });

  test('that is rejected opens no store, and creates no file', async () => {
    const database = tempFile('host=db password=hunter2');
    await expect(openStore(database)).rejects.toThrow('neither the path of a SQLite file');
    await expect(openStore('postgres://h/db?sslmode=prefer')).rejects.toThrow('sslmode=prefer');
  });
});

const secret = 'hunter2';

describe('a database with a password', () => {
  test.each([
    `postgres://u:${secret}@h/db`,
    `postgres://${secret}@h:5432,h2/db`,
    `postgres://h/db?password=${secret}&user=u`,
    `postgres://u:${secret}@h:port/db`,
    `postgres://u:${secret}@@h/db`,
    `postgres://u:${secret} x@h/db`,
    `postgres://u:${secret}%zz@h/db`,
    `postgres://u:${secret}#x@h/db`,
    `postgres://u:${secret}/x@h/db`,
    `postgres://h/db?pass=${secret}`,
    `postgres://h/db?sslmode=${secret}`,
    `postgres://h/db?sslmode=x&target_session_attrs=${secret}`,
  ])('is shown without it: %s', (database) => {
    expect(describeDatabase(database)).not.toContain(secret);
    expect(findDatabaseFault(database) ?? '').not.toContain(secret);
  });

  test('is shown with its hosts and its name', () => {
    expect(describeDatabase('postgres://u:p@a:1,[::1]/trade%23?sslmode=require')).toBe(
      'postgres://a:1,[::1]/trade%23',
    );
  });

  test.each([
    `postgres//u:${secret}@h/db`,
    `postgresql//${secret}/db`,
    `postgres:/u:${secret}@h/db`,
    `POSTGRES://u:${secret}@h/db`,
    `"postgres://u:${secret}@h/db"`,
    `u:${secret}@h/db`,
    `host=h password=${secret}`,
    `dbname = trade password = ${secret}`,
    `mysql://u:${secret}@h/db`,
    `jdbc:postgresql:${secret}`,
  ])('is not a file if it is no URL: %s', (database) => {
    const fault = findDatabaseFault(database);
    expect(fault).toContain('neither the path of a SQLite file nor a URL');
    expect(fault).not.toContain(secret);
  });

  test.each([
    ':memory:',
    './tradepost.db',
    '/var/lib/@scope/trade.db',
    'C:\\data\\trade.db',
    'postgres/trade.db',
    'a=b.db',
  ])('is a file: %s', (database) => {
    expect(findDatabaseFault(database)).toBeNull();
  });
});

describe('the files of TLS', () => {
  test('are read for each connection again', () => {
    const file = tempFile('ca.pem');
    writeFileSync(file, 'first');
    const { tls } = parse(`postgres://h/db?sslmode=verify-full&sslrootcert=${file}`);
    if (tls === null) throw new Error('TLS settings');
    expect(readTlsOptions(tls)).toEqual({ ca: 'first', rejectUnauthorized: true });
    writeFileSync(file, 'second');
    expect(readTlsOptions(tls)).toMatchObject({ ca: 'second' });
  });

  test('that cannot be read are an error at once', async () => {
    const url = 'postgres://h/db?sslmode=verify-full&sslrootcert=/missing.pem';
    await expect(openStore(url)).rejects.toThrow('Cannot read the file of sslrootcert');
  });
});
