import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { bundledPackages } from './bundled-packages';

const root = join(checkout, 'packages/cli');
const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
/** What the notices say of each package: its name, and all below it up to the next. */
const chapters = new Map(
  notices
    .split(/^## /m)
    .slice(1)
    .map((chapter) => [chapter.slice(0, chapter.indexOf('\n')), chapter]),
);
const bundled = await bundledPackages();

/** Line ends and indentations are the file's own affair. */
const words = (text: string) => text.replace(/\s+/g, ' ').trim();

test('the build that was looked at is the one in dist', () => {
  const built = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.c?js$/.test(name))
    .map((name) => name.replace(/\.c?js$/, ''));
  expect(bundled.files.sort()).toEqual(built.sort());
});

test('each package whose code is in dist is named, and no other', () => {
  expect([...chapters.keys()]).toEqual([...bundled.packages.keys()].sort());
});

test.each([...bundled.packages])('of %s the whole license is there', (name, folder) => {
  const chapter = words(chapters.get(name) ?? '');
  const license = readdirSync(folder).find((file) => /^(licen[cs]e|copying)\b/i.test(file));
  if (license !== undefined) {
    expect(chapter).toContain(words(readFileSync(join(folder, license), 'utf8')));
    return;
  }
  // A package without the text says in its manifest which it is.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(manifest.license).toBe('MIT');
  expect(chapter).toContain('Permission is hereby granted, free of charge');
});

test.each([
  ['jq-wasm', ['jq', 'decNumber', 'Oniguruma', 'Emscripten', 'musl']],
  ['undici', ['llhttp']],
])('what the WebAssembly of %s is made of is named too', (name, parts) => {
  const named = chapters.get(name)?.matchAll(/^### (.+)$/gm) ?? [];
  expect(Array.from(named, ([, part]) => part)).toEqual(parts);
});

test('no package brings notices of its own that would be left out', () => {
  const own = [...bundled.packages].flatMap(([name, folder]) =>
    readdirSync(folder)
      .filter((file) => /notice|third[-_]?party/i.test(file))
      .map((file) => `${name}/${file}`),
  );
  expect(own).toEqual([]);
});
