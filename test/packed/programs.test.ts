import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { runProcess } from '../helpers/start-process';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { findNodeMajors, supportedMajors } from '../runtimes/node-majors';

const program = new URL('programs/every-entry.ts', import.meta.url);
const formats = [
  ['ES module', 'esm', 'every-entry.mjs'],
  ['CommonJS', 'cjs', 'every-entry.cjs'],
] as const;

let service: SeededServer;

beforeAll(async () => {
  const source = await readFile(program, 'utf8');
  for (const [, format, name] of formats) {
    const { code } = await transform(source, { loader: 'ts', format, target: 'node20' });
    await writeFile(join(inject('consumer'), name), code);
  }
  service = await startSeededServer();
  return () => service.close();
});

test('every supported version of Node is installed on the platform of .ci/run', () => {
  const isCiPlatform = process.platform === 'linux' && process.arch === 'x64';
  const own = [Number.parseInt(process.versions.node, 10)];
  expect(findNodeMajors().map(({ major }) => major)).toEqual(isCiPlatform ? supportedMajors : own);
});

describe.each(findNodeMajors())('Node $major', ({ major, program: node }) => {
  test('has this version', async () => {
    const { stdout } = await runProcess(node, ['--version']);
    expect(stdout).toMatch(new RegExp(`^v${major}\\.`));
  });

  test.each(formats)('runs a program that uses every entry as %s', async (_, format, name) => {
    const loader = format === 'esm' ? 'import ' : 'require(';
    expect(await readFile(join(inject('consumer'), name), 'utf8')).toContain(loader);
    const { code, stdout, stderr } = await runProcess(node, [name], {
      cwd: inject('consumer'),
      env: {
        ...service.createEnvironment(service.buyer),
        LISTING_ID: service.seed.listings[0]?.id ?? '',
      },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      client: { createdWith: 201, lists: true, error: 'order_not_found' },
      verifier: { event: 'order.created', sync: 'order.created', rejection: 'WRONG_SECRET' },
      receiver: { statuses: [204, 400], handled: ['pending'] },
      failure: 'redirect',
    });
  });
});
