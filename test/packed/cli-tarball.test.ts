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
    'man',
    'others.cjs',
    'others.cjs.map',
  ]);
  for (const name of readdirSync(join(installed, 'dist/lazy'))) {
    if (name !== 'build') expect(name).toMatch(/^[\w-]+\.cjs$/);
  }
});

test('jq is included as a file of WebAssembly', () => {
  const folder = join(installed, 'dist/lazy/build');
  expect(readdirSync(folder)).toEqual(['jq.wasm']);
  expect(readFileSync(join(folder, 'jq.wasm')).toString('latin1', 0, 4)).toBe('\0asm');
});

test('the bundles have only ASCII characters, so that V8 needs one byte for each', () => {
  const bundles = dist.filter(({ name }) => !name.startsWith('lazy'));
  expect(bundles).toHaveLength(3);
  for (const { name, text } of bundles) {
    expect({ name, others: text.match(/[^\0-\x7f]/g) }).toEqual({ name, others: null });
  }
});

test.runIf(process.platform !== 'win32')('npm installs the man page of each command', () => {
  const pages = readdirSync(join(installed, 'dist/man')).sort();
  expect(pages).toContain('tradepost.1');
  expect(pages).toContain('tradepost-orders-set-status.1');
  // Where `man` finds them, since the program is in `bin` beside it.
  const folder = join(inject('cliPrefix'), 'share/man/man1');
  expect(readdirSync(folder).sort()).toEqual(pages);
  for (const page of pages) {
    const text = readFileSync(join(folder, page), 'utf8');
    expect(text).toMatch(new RegExp(`^\\.TH ".*" "1" "" "tradepost ${manifest.version}"`));
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
