import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as wire from '../src/wire';

const dist = new URL('../dist/', import.meta.url);

function built(file: string): string {
  const url = new URL(file, dist);
  if (!existsSync(url)) throw new Error(`dist/${file} is not built: run \`npm run build\``);
  return readFileSync(url, 'utf8');
}

test.each(['wire.js', 'wire.cjs', 'wire.d.ts', 'wire.d.cts'])('%s imports nothing', (file) => {
  expect(built(file)).not.toMatch(/\bfrom\s*['"]|\bimport\s*[('"]|\brequire\s*\(/);
});

test('the wire entry is smaller than 13.7 kB', () => {
  expect(built('wire.js').length).toBeLessThan(13_700);
});

test('the built file exports what the source exports', async () => {
  built('wire.js');
  const loaded: unknown = await import(new URL('wire.js', dist).href);
  expect(Object.keys(loaded as object).sort()).toEqual(Object.keys(wire).sort());
});
