import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { packageFolders } from './pack-packages';

describe.each(packageFolders)('the packed %s', (name) => {
  const folder = join(inject('packedPackages'), name);
  const source = join(checkout, 'packages', name);
  const [packed, original] = [folder, source].map((path) =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')),
  );
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

  test('contains what package.json lists, the license, and nothing else', () => {
    const expected = [...original.files, 'LICENSE', 'package.json'];
    expect(readdirSync(folder).sort()).toEqual(expected.sort());
    // `tradepost webhooks test` has a man page, and a created project has tests.
    for (const file of files.filter((name) => !/^dist\/man\/[\w-]+\.1$|^templates\//.test(name)))
      expect(file).not.toMatch(/\.test\.|\btests?\b|fuzz|tsbuildinfo|tsconfig/);
  });

  test('contains every file of the build', () => {
    const built = readdirSync(join(source, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).sort()).toEqual(
      built.sort(),
    );
  });

  test('has the license of the project', () => {
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(checkout, 'LICENSE'), 'utf8'),
    );
  });

  test('names the repository, and how it is published', () => {
    const { homepage, repository, bugs } = original;
    expect(packed).toMatchObject({ homepage, repository, bugs });
    expect(packed.publishConfig).toEqual({ access: 'public', provenance: true });
  });

  test('depends on published versions, and runs no script when it is installed', () => {
    expect(JSON.stringify(packed)).not.toMatch(/workspace:|catalog:/);
    const run = Object.keys(packed.scripts).filter((script) =>
      /install|prepare|pack$/.test(script),
    );
    expect(run).toEqual([]);
  });

  test('contains no path of the machine that built it', () => {
    const withPath = files.filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes(checkout.replace(/\/$/, '')),
    );
    expect(withPath).toEqual([]);
  });
});
