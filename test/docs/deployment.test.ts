import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';
import {
  deployFolder,
  isExactImage,
  readDeployFile,
  readDockerfile,
  readStopDeadline,
} from './deploy-files';

const read = (path: string) => readFileSync(path, 'utf8');
const readPackage = (path: string) => JSON.parse(read(join(checkout, path, 'package.json')));
const serverReadme = read(join(checkout, 'packages/server/README.md'));

describe('the Dockerfile', () => {
  const { find, environment } = readDockerfile();

  test('builds with the pnpm version and the scripts of package.json', () => {
    const { packageManager } = readPackage('.');
    const { name, scripts, bin, files } = readPackage('packages/server');
    const [build = ''] = find('RUN');
    const versions = build.match(/pnpm@[\d.]+/g) ?? [];
    expect(new Set(versions)).toEqual(new Set([packageManager]));
    for (const [, filter] of build.matchAll(/--filter (\S+)/g))
      expect([name, `${name}...`]).toContain(filter);
    for (const [, script] of build.matchAll(/ run (\w+)/g))
      expect(scripts).toHaveProperty(script ?? '');
    // What `deploy` copies has the program.
    const [entry = ''] = find('ENTRYPOINT');
    const [node, program] = JSON.parse(entry);
    expect([node, program]).toEqual(['node', join('/app', bin['tradepost-server'])]);
    expect(files).toEqual(expect.arrayContaining(['bin', 'dist']));
  });

  test('starts from exact images, and only from them', () => {
    const images = find('ARG').map((line) => line.split(/=(.*)/));
    expect(find('FROM')).toEqual(['$BUILD_IMAGE AS build', '$RUN_IMAGE']);
    expect(images.map(([name]) => name)).toEqual(['BUILD_IMAGE', 'RUN_IMAGE']);
    const versions = images.map(([, image = '']) => {
      expect(isExactImage(image), image).toBe(true);
      return image.replace(/-slim@.*|@.*/, '');
    });
    expect(new Set(versions).size).toBe(1);
  });

  test('copies only from its context and from its build', () => {
    expect(find('COPY')).toEqual(['. .', '--from=build /app /app']);
    const ignored = readDeployFile('Dockerfile.dockerignore').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['.git', '**/node_modules', '**/dist', '**/*.db']),
    );
    const needed = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages', 'scripts'];
    for (const path of [...needed, 'tsconfig.base.json']) {
      expect(ignored).not.toContain(path);
      expect(existsSync(join(checkout, path))).toBe(true);
    }
  });

  test('runs without root, and writes only to its volume', () => {
    expect(find('USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const [volume = ''] = find('VOLUME');
    expect(environment.TRADEPOST_DATABASE).toBe(`${volume}/tradepost.db`);
    expect(environment.SQLITE_TMPDIR).toBe(volume);
  });

  test('sets only variables that the README of the server documents, and exposes their ports', () => {
    const own = Object.keys(environment).filter((name) => /^(TRADEPOST_|PORT$)/.test(name));
    for (const name of own) expect(serverReadme).toContain(`\`${name}\``);
    expect(find('EXPOSE')).toEqual([`${environment.PORT} ${environment.TRADEPOST_METRICS_PORT}`]);
  });

  test('checks its health with a program that follows /livez', async () => {
    const [check = ''] = find('HEALTHCHECK');
    const [command, ...args] = JSON.parse(check.slice(check.indexOf('[')));
    expect(command).toBe('node');
    const statuses = [200, 503];
    const paths: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      paths.push(url);
      response.writeHead(statuses.shift() ?? 500).end('{}');
    });
    server.listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { TRADEPOST_METRICS_PORT: String(port) };
    const run = async () => (await runProcess(process.execPath, args, { env })).code;
    expect([await run(), await run()]).toEqual([0, 1]);
    expect(paths).toEqual(['/livez', '/livez']);
    server.close();
    expect(await run()).toBe(1);
  });
});

describe('the systemd unit', () => {
  const file = join(deployFolder, 'tradepost-server.service');
  const text = read(file);
  const settings = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

  test('gives the server more time to stop than it takes', () => {
    expect(Number(settings('TimeoutStopSec')[0])).toBeGreaterThan(readStopDeadline());
  });

  test('sets only variables that the README of the server documents', () => {
    const names = [...text.matchAll(/\b(TRADEPOST_\w+)=/g)].map(([, name]) => name);
    expect(names).not.toEqual([]);
    for (const name of names) expect(serverReadme).toContain(`\`${name}\``);
  });

  test('restarts the server always, and lets it write only to its state', () => {
    expect(settings('Restart')).toEqual(['always']);
    expect(settings('DynamicUser')).toEqual(['yes']);
    expect(settings('ProtectSystem')).toEqual(['strict']);
    expect(settings('NoNewPrivileges')).toEqual(['yes']);
    expect(settings('ReadWritePaths')).toEqual([]);
    const [state] = settings('StateDirectory');
    expect(settings('Environment')).toContain(`TRADEPOST_DATABASE=%S/${state}/tradepost.db`);
  });

  test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('is valid, and hardened', async () => {
    const verified = await runProcess('systemd-analyze', ['verify', file]);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', file];
    expect(await runProcess('systemd-analyze', args)).toMatchObject({ code: 0 });
  });
});
