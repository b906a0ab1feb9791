import { readdirSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { brokenStream } from '../../helpers/fake-stream';
import { BareService } from '../../helpers/minimal-service';
import { aFolder } from '../../helpers/webhook-builders';

const disk = vi.hoisted(() => ({ isFull: false, synced: 0 }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    fsyncSync(descriptor: number) {
      if (disk.isFull) throw Object.assign(new Error('ENOSPC: disk full'), { code: 'ENOSPC' });
      disk.synced += 1;
      fs.fsyncSync(descriptor);
    },
  };
});

beforeEach(() => {
  disk.isFull = false;
  disk.synced = 0;
});

const secret = 'whsec_c2VjcmV0';
const commands: [string[], string][] = [
  [
    ['webhooks', 'register', '--url', 'https://a.example', '--events', 'order.created'],
    'whk_1 is registered',
  ],
  [['webhooks', 'rotate-secret', 'whk_1'], 'A new secret of whk_1 is staged'],
];

async function telling(): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ path }) =>
    path.endsWith('/secret')
      ? { status: 201, body: { data: { webhookId: 'whk_1', secret, stagedAt: 'now' } } }
      : undefined;
  return service;
}

describe.each(commands)('the secret of %j', (argv, what) => {
  it.each([
    ['a jq expression that fails', ['--jq', '.secret.value'], undefined],
    ['a jq expression that leaves it out', ['--jq', 'keys'], undefined],
    ['a full disk', [], 'ENOSPC'],
    ['a reader who has gone', [], 'EPIPE'],
  ])('is on stderr, complete, after %s', async (_, more, broken) => {
    const service = await telling();
    const setting = broken === undefined ? {} : { stdout: brokenStream(broken) };
    const { exitCode, stderr } = await service.cli([...argv, ...more], setting);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${what}. Its secret, which is not shown again: ${secret}\n`);
    expect(stderr).toContain(`${what}, but `);
    expect(stderr).toContain('Do not repeat it');
  });

  it('is on stdout if a jq expression selects it, and nowhere else', async () => {
    const service = await telling();
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--jq', '{s: .secret}']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ s: secret });
    expect(stderr).not.toContain(secret);
  });

  it('is not created if --fields does not show it', async () => {
    const service = await telling();
    const [field = ''] = argv[1] === 'register' ? ['id'] : ['webhookId'];
    const rejected = await service.cli([...argv, '--fields', field]);
    expect(rejected).toMatchObject({ exitCode: 2, stdout: '' });
    expect(rejected.stderr).toContain('--secret-file');
    expect(service.seen).toEqual([]);
    const shown = await service.cli([...argv, '--fields', `${field}, secret`]);
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain(secret);
    const file = join(await aFolder(), 'secret');
    const filed = await service.cli([...argv, '--fields', field, '--secret-file', file]);
    expect(filed.exitCode).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(`${secret}\n`);
  });

  it('is in its file, on the disk, even if the rest cannot be printed', async () => {
    const service = await telling();
    const file = join(await aFolder(), 'secret');
    const setting = { stdout: brokenStream('ENOSPC') };
    const { exitCode, stderr } = await service.cli([...argv, '--secret-file', file], setting);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Secret saved in ${file}`);
    expect(stderr).toContain(`${what}, but the result could not be printed`);
    expect(stderr).not.toContain(secret);
    expect(await readFile(file, 'utf8')).toBe(`${secret}\n`);
    expect(disk.synced).toBe(1);
  });

  it('is on stderr if its file cannot be written, and no partial file remains', async () => {
    const service = await telling();
    const file = join(await aFolder(), 'secret');
    disk.isFull = true;
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--secret-file', file]);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Its secret, which is not shown again: ${secret}\n`);
    expect(stderr).toContain('ENOSPC');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('is reported as missing if the service does not return it', async () => {
    const service = await telling();
    service.instead = () => ({ status: 201, body: { data: { id: 'whk_1' } } });
    const file = join(await aFolder(), 'secret');
    for (const more of [[], ['--secret-file', file]]) {
      const { exitCode, stderr } = await service.cli([...argv, ...more]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`${what}, but the response has no secret`);
    }
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });
});

describe('a private file that cannot be written', () => {
  it('keeps the previous file, and leaves no temporary one', async () => {
    const { writePrivateFile } = await import('../../../src/files/private-files');
    const folder = await aFolder();
    const file = join(folder, 'profiles.json');
    writePrivateFile(file, 'before');
    disk.isFull = true;
    expect(() => writePrivateFile(file, 'after')).toThrow('ENOSPC');
    expect(await readFile(file, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['profiles.json']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
