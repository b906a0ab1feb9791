import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';

const modules = join(inject('cliPrefix'), 'lib/node_modules');
const installed = join(modules, '@tradepost/cli');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
const dist = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('js'))
  .map((name) => ({ name, text: readFileSync(join(installed, 'dist', name), 'utf8') }));

test('the package contains the program, the licenses and the documentation, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'bin',
    'dist',
    'package.json',
  ]);
  expect(readdirSync(join(installed, 'bin'))).toEqual(['tradepost.cjs']);
  expect(readdirSync(join(installed, 'dist')).sort()).toEqual([
    'commands.cjs',
    'commands.cjs.map',
    'lazy',
    'main.cjs',
    'main.cjs.map',
  ]);
  for (const name of readdirSync(join(installed, 'dist/lazy'))) {
    expect(name).toMatch(/^[\w-]+\.cjs$/);
  }
});

test('the package installs no other package', () => {
  expect(readdirSync(modules)).toEqual(['@tradepost']);
  expect(readdirSync(join(modules, '@tradepost'))).toEqual(['cli']);
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(kind);
  }
});

test('the package requires only Node', () => {
  expect(manifest.engines).toEqual({ node: '>=20.19' });
});

test('the package has no install script', () => {
  const run = Object.keys(manifest.scripts).filter((name) => /install|prepare/.test(name));
  expect(run).toEqual([]);
});

test('the program of the package is executable', () => {
  expect(statSync(join(installed, 'bin/tradepost.cjs')).mode & 0o111).not.toBe(0);
});

test('the package has the license of the project', () => {
  const [ours, published] = [checkout, installed].map((folder) =>
    readFileSync(join(folder, 'LICENSE'), 'utf8'),
  );
  expect(published).toBe(ours);
});

test('the package contains no path of the checkout and no workspace dependency', () => {
  expect(dist.length).toBeGreaterThan(2);
  const filesWithPath = dist.filter(({ text }) => text.includes(checkout.replace(/\/$/, '')));
  expect(filesWithPath.map(({ name }) => name)).toEqual([]);
  expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/);
});
