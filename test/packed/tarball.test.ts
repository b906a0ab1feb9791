import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';

const installed = join(inject('consumer'), 'node_modules/@tradepost/sdk');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

test('the package contains the build, the licenses and the documentation, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual([
    'CHANGELOG.md',
    'CHECKING.md',
    'LICENSE',
    'README.md',
    'RECEIVING.md',
    'RECIPES.md',
    'THIRD-PARTY-NOTICES.md',
    'dist',
    'package.json',
  ]);
  for (const name of readdirSync(join(installed, 'dist'))) {
    expect(name).toMatch(/^[\w.-]+(\.c?js|\.c?js\.map|\.d\.c?ts)$/);
  }
});

test('the package has the license of the project', () => {
  const [ours, published] = [checkout, installed].map((folder) =>
    readFileSync(join(folder, 'LICENSE'), 'utf8'),
  );
  expect(published).toBe(ours);
});

test('the package has no dependencies but an optional one, and requires only Node', () => {
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest.peerDependencies).toEqual({ undici: expect.any(String) });
  expect(manifest.peerDependenciesMeta).toEqual({ undici: { optional: true } });
  expect(manifest).not.toHaveProperty('optionalDependencies');
  expect(manifest.engines).toEqual({ node: '>=20.19' });
});

test('the package has no install script', () => {
  const run = Object.keys(manifest.scripts).filter((name) => /install|prepare/.test(name));
  expect(run).toEqual([]);
});

test('the package contains no path of the checkout and no workspace dependency', () => {
  const filesWithPath = readdirSync(join(installed, 'dist')).filter((name) =>
    readFileSync(join(installed, 'dist', name), 'utf8').includes(checkout),
  );
  expect(filesWithPath).toEqual([]);
  expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/);
});
