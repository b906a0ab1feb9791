import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { findBundledPackages } from './find-bundled-packages';

const root = join(checkout, 'packages/cli');
const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
/** The section of each package in the notices, by name. */
const sections = new Map(
  notices
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const bundled = await findBundledPackages();

/** Ignores differences in white space. */
const normalize = (text: string) => text.replace(/\s+/g, ' ').trim();

test('the build in memory has the files of dist', () => {
  const built = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.c?js$/.test(name))
    .map((name) => name.replace(/\.c?js$/, ''));
  expect(bundled.files.sort()).toEqual(built.sort());
});

test('the notices name exactly the packages whose code is in dist', () => {
  expect([...sections.keys()]).toEqual([...bundled.packages.keys()].sort());
});

test.each([...bundled.packages])(
  'the notices have the complete license of %s',
  (name, { folder }) => {
    const section = normalize(sections.get(name) ?? '');
    const license = readdirSync(folder).find((file) => /^(licen[cs]e|copying)\b/i.test(file));
    if (license !== undefined) {
      expect(section).toContain(normalize(readFileSync(join(folder, license), 'utf8')));
      return;
    }
    // A package without a license file names its license in the manifest.
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest.license).toBe('MIT');
    expect(section).toContain('Permission is hereby granted, free of charge');
  },
);

test('the notices name the files that include each package', () => {
  const named = [...sections].map(([name, section]) => [
    name,
    Array.from(section.matchAll(/`dist\/([\w/-]+)\.cjs`/g), ([, file]) => file).sort(),
  ]);
  const actual = [...bundled.packages].map(([name, { files }]) => [name, [...files].sort()]);
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(actual));
});

test.each([
  ['jq-wasm', ['jq', 'decNumber', 'Oniguruma', 'Emscripten', 'musl']],
  ['undici', ['llhttp']],
])('the notices name the components in the WebAssembly of %s', (name, parts) => {
  const named = sections.get(name)?.matchAll(/^### (.+)$/gm) ?? [];
  expect(Array.from(named, ([, part]) => part)).toEqual(parts);
});

test('no bundled package has its own notices file', () => {
  const own = [...bundled.packages].flatMap(([name, { folder }]) =>
    readdirSync(folder)
      .filter((file) => /notice|third[-_]?party/i.test(file))
      .map((file) => `${name}/${file}`),
  );
  expect(own).toEqual([]);
});
