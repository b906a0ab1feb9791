import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { checkout } from '../helpers/programs';

const root = join(checkout, 'packages/server/dist/console/assets');
const files = readdirSync(root);

/** Limits in kB, compressed with gzip. */
const limits = { start: 145, page: 30, palette: 40, styles: 12 };

/** Returns how much of some files a browser downloads, in kB: the copies that the server sends to who does not accept brotli. */
function sumSizes(names: Iterable<string>): number {
  const bytes = [...names].map((name) => statSync(join(root, `${name}.gz`)).size);
  return bytes.reduce((sum, size) => sum + size, 0) / 1_000;
}

/** Reads which files of the built console import which, by file name. */
async function readImports(entry: string) {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: 'unused',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return (name: string, kind: 'import-statement' | 'dynamic-import') =>
    (metafile.inputs[name]?.imports ?? [])
      .filter((one) => one.kind === kind)
      .map(({ path }) => path);
}

const entry = files.find((name) => /^index-.*\.js$/.test(name)) ?? '';
const importsOf = await readImports(entry);

/** Adds a file, and what it imports before it runs. */
function addStatic(name: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  for (const other of importsOf(name, 'import-statement')) addStatic(other, loaded);
  return loaded;
}

const start = addStatic(entry);
const lazy = [...new Set([...start].flatMap((name) => importsOf(name, 'dynamic-import')))];
const [pages, palettes] = [/-page-/, /^palette-/].map((pattern) =>
  lazy.filter((name) => pattern.test(name)),
) as [string[], string[]];

// Whatever is neither a page nor the palette is loaded soon after the start.
const early = lazy.filter((name) => ![...pages, ...palettes].includes(name));
for (const name of early) addStatic(name, start);

/** Returns the size of a file with what it imports, beyond the start. */
const sumBeyondStart = (name: string) =>
  sumSizes([...addStatic(name)].filter((other) => !start.has(other)));

test('a start loads no more than its limit, with what the SDK loads before its first request', () => {
  expect(early).not.toEqual([]);
  expect(sumSizes(start)).toBeLessThanOrEqual(limits.start);
});

test('a page, and what it loads later, are no larger than their limit each', () => {
  expect(pages.length).toBeGreaterThanOrEqual(10);
  const parts = new Set(pages);
  for (const part of parts) {
    expect(sumBeyondStart(part), part).toBeLessThanOrEqual(limits.page);
    // A set lists what is added while it is read.
    for (const name of addStatic(part)) {
      if (start.has(name)) continue;
      for (const later of importsOf(name, 'dynamic-import')) parts.add(later);
    }
  }
  expect([...parts].some((name) => name.startsWith('chart-'))).toBe(true);
});

test('the palette is no larger than its limit', () => {
  expect(palettes).toHaveLength(1);
  for (const name of palettes) expect(sumBeyondStart(name)).toBeLessThanOrEqual(limits.palette);
});

test('all styles together are no larger than their limit', () => {
  const styles = files.filter((name) => name.endsWith('.css'));
  expect(styles).not.toEqual([]);
  expect(sumSizes(styles)).toBeLessThanOrEqual(limits.styles);
});
