import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';

const installed = join(inject('consumer'), 'node_modules/@tradepost/sdk');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

test('the package holds the build, the licenses and what says how to use it, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual([
    'LICENSE',
    'README.md',
    'RECEIVING.md',
    'THIRD-PARTY-NOTICES.md',
    'dist',
    'package.json',
  ]);
  for (const name of readdirSync(join(installed, 'dist'))) {
    expect(name).toMatch(/^[\w.-]+(\.c?js|\.d\.c?ts)$/);
  }
});

test('the license is that of the project', () => {
  const [ours, published] = [checkout, installed].map((folder) =>
    readFileSync(join(folder, 'LICENSE'), 'utf8'),
  );
  expect(published).toBe(ours);
});

test('it depends on ofetch alone, and asks for nothing but Node', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['ofetch']);
  expect(manifest).not.toHaveProperty('peerDependencies');
  expect(manifest).not.toHaveProperty('optionalDependencies');
  expect(manifest.engines).toEqual({ node: '>=20.19' });
});

test('installing it runs no script', () => {
  const run = Object.keys(manifest.scripts).filter((name) => /install|prepare/.test(name));
  expect(run).toEqual([]);
});

test('nothing in it says where it was built or asks for another version of the workspace', () => {
  const telling = readdirSync(join(installed, 'dist')).filter((name) =>
    readFileSync(join(installed, 'dist', name), 'utf8').includes(checkout),
  );
  expect(telling).toEqual([]);
  expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/);
});
