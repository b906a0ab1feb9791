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

test('the package holds the program, the licenses and what says how to use it, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual([
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'bin',
    'dist',
    'package.json',
  ]);
  expect(readdirSync(join(installed, 'bin'))).toEqual(['tradepost.cjs']);
  expect(readdirSync(join(installed, 'dist')).sort()).toEqual(['commands.cjs', 'lazy', 'main.cjs']);
  for (const name of readdirSync(join(installed, 'dist/lazy'))) {
    expect(name).toMatch(/^[\w-]+\.cjs$/);
  }
});

test('it installs alone: nothing beside it, and nothing within it', () => {
  expect(readdirSync(modules)).toEqual(['@tradepost']);
  expect(readdirSync(join(modules, '@tradepost'))).toEqual(['cli']);
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(kind);
  }
});

test('it asks for nothing but Node', () => {
  expect(manifest.engines).toEqual({ node: '>=20.19' });
});

test('installing it runs no script', () => {
  const run = Object.keys(manifest.scripts).filter((name) => /install|prepare/.test(name));
  expect(run).toEqual([]);
});

test('its program may be run', () => {
  expect(statSync(join(installed, 'bin/tradepost.cjs')).mode & 0o111).not.toBe(0);
});

test('the license is that of the project', () => {
  const [ours, published] = [checkout, installed].map((folder) =>
    readFileSync(join(folder, 'LICENSE'), 'utf8'),
  );
  expect(published).toBe(ours);
});

test('nothing in it says where it was built or asks for another version of the workspace', () => {
  expect(dist.length).toBeGreaterThan(2);
  const telling = dist.filter(({ text }) => text.includes(checkout.replace(/\/$/, '')));
  expect(telling.map(({ name }) => name)).toEqual([]);
  expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/);
});
