import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKey } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { brokenStream } from '../helpers/fake-stream';
import { aProblem, BareService } from '../helpers/minimal-service';
import { runAtKeyboard } from '../helpers/run-at-keyboard';
import { aFolder } from '../helpers/webhook-builders';

const text = 'tpk_7hTn0123456789abcdefghijklmnopqrstuvwx';
const now = Date.parse('2026-11-21T09:30:00.000Z');

function aKey(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: 'key_1',
    name: null,
    kind: 'key',
    prefix: 'tpk_7hTn…',
    readOnly: false,
    createdAt: '2026-11-20T09:30:00.000Z',
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdBy: null,
    current: false,
    ...fields,
  };
}

async function startService(...keys: ApiKey[]): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['keys'];
  service.instead = ({ method, path, body }) => {
    if (method === 'GET') return { status: 200, body: { data: keys, nextCursor: null } };
    if (method === 'POST')
      return { status: 201, body: { data: { ...aKey(), ...Object(body), key: text } } };
    return path === '/v1/keys/key_1'
      ? { status: 204, body: undefined }
      : aProblem(404, 'key_not_found');
  };
  return service;
}

describe('keys list', () => {
  it('shows in a table which key is used, and which are of no use any more', async () => {
    const past = '2026-11-21T09:30:00.000Z';
    const service = await startService(
      aKey({ current: true, name: 'ci\u001b[2J' }),
      aKey({ id: 'key_2', kind: 'session', readOnly: true }),
      aKey({ id: 'key_3', expiresAt: past }),
      aKey({ id: 'key_4', revokedAt: past }),
    );
    const { stdout } = await service.cli(['keys', 'list'], { now: () => now });
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4));
    expect(rows.slice(0, 5)).toEqual([
      ['ID', 'STATE', 'NAME', 'ACCESS'],
      ['key_1', 'current', 'ci\\u001b[2J', 'full'],
      ['key_2', 'valid', 'session', 'read-only'],
      ['key_3', 'expired', '-', 'full'],
      ['key_4', 'revoked', '-', 'full'],
    ]);
  });

  it('says so if the service does not have the extension', async () => {
    const service = await BareService.start();
    const { exitCode, stderr } = await service.cli(['keys', 'list']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('This needs the extension keys of the API');
  });
});

describe('keys create', () => {
  it('sends what was asked for, and shows the key once, on stdout', async () => {
    const service = await startService();
    const argv = ['keys', 'create', '--name', ' export ', '--read-only', '--expires', '90d'];
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--output', 'json']);
    expect(exitCode).toBe(0);
    expect(service.seen[0]?.body).toEqual({ name: 'export', readOnly: true, expiresIn: 7_776_000 });
    expect(service.seen[0]?.headers['idempotency-key']).toMatch(/./);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'key_1', key: text });
    expect(stderr).toBe('The key is not shown again. Store it in a safe place.\n');
  });

  it('writes the key to a new file of its owner, and shows the rest', async () => {
    const service = await startService();
    const file = join(await aFolder(), 'ci.key');
    const { stdout, stderr } = await service.cli(['keys', 'create', '--key-file', file, '--json']);
    expect(await readFile(file, 'utf8')).toBe(`${text}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(stdout)).not.toHaveProperty('key');
    expect(stdout + stderr).not.toContain(text);
    const again = await service.cli(['keys', 'create', '--key-file', file]);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    const missing = join(await aFolder(), 'missing', 'ci.key');
    const { stderr: reason } = await service.cli(['keys', 'create', '--key-file', missing]);
    expect(reason).toContain('Cannot create the file for the key: no such file');
    expect(service.seen).toHaveLength(1);
  });

  it('has the same order of fields in a table as in CSV', async () => {
    const service = await startService();
    service.instead = () => ({ status: 201, body: { data: { key: text, ...aKey() } } });
    const table = await service.cli(['keys', 'create']);
    const csv = await service.cli(['keys', 'create', '--output', 'csv']);
    const names = table.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names.join(',')).toBe(csv.stdout.split('\n')[0]?.replace(/^\W+/, '').trim());
  });

  it('does not lose a key that cannot be printed', async () => {
    const service = await startService();
    const { exitCode, stderr } = await service.cli(['keys', 'create'], {
      stdout: brokenStream('ENOSPC'),
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`key_1 is created. Its key, which is not shown again: ${text}\n`);
  });

  it.each([
    [['--expires', '30s'], 'Use a duration'],
    [['--expires', '3651d'], 'Use a duration'],
    [['--name', ' '], 'Use 1 to 100'],
    [['--name', 'a\u202eb'], 'Use 1 to 100'],
    [['--fields', 'id'], 'omits the key'],
  ])('rejects %j before anything is sent', async (argv, because) => {
    const service = await startService();
    const { exitCode, stderr } = await service.cli(['keys', 'create', ...argv]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(because);
    expect(service.seen).toEqual([]);
  });
});

describe('keys revoke', () => {
  it('asks with what is known of the key, and names the keys that stay', async () => {
    const service = await startService(
      aKey({ id: 'key_2', createdBy: 'key_1' }),
      aKey({ id: 'key_3', createdBy: 'key_1', kind: 'session' }),
      aKey({ name: 'ci', current: true }),
    );
    const env = { TRADEPOST_BASE_URL: service.baseUrl, TRADEPOST_API_KEY: 'tpk_test' };
    const { exitCode, stderr } = await runAtKeyboard(
      ['keys', 'revoke', 'key_1'],
      [['Revoke key_1 (ci, tpk_7hTn…, the key of this command)?', 'y']],
      env,
      { columns: 200 },
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Still valid, unless expired, although key_1 created them: key_2.');
    expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  });

  it('reports a key of which the account has none', async () => {
    const service = await startService();
    const { exitCode, stderr } = await service.cli(['keys', 'revoke', 'key_9', '--yes']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('`tradepost keys list`');
  });
});
