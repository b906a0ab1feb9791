import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

const program = join(inject('packedPackages'), 'server/dist/program');
const notices = readFileSync(join(program, 'THIRD-PARTY-NOTICES.txt'), 'utf8');

/** The packages whose files are named by the source maps of the program. */
function listBundledPackages(): string[] {
  const names = readdirSync(program)
    .filter((file) => file.endsWith('.map'))
    .flatMap((file) => {
      const { sources } = JSON.parse(readFileSync(join(program, file), 'utf8')) as {
        sources: string[];
      };
      return sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
    });
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

test('the notices of the server name exactly the packages in its program', () => {
  const named = notices
    .split(/^-{80}\n\n/m)
    .slice(1)
    .map((section) => section.slice(0, section.indexOf(' ')));
  expect([...new Set(named)].sort()).toEqual(listBundledPackages());
  expect(named).toEqual(expect.arrayContaining(['express', 'undici', 'zod']));
});

test('the notices of the server name the component in the WebAssembly of undici', () => {
  expect(notices).toContain('It includes llhttp, compiled to WebAssembly.');
});

test('the program of the server bundles no native code', () => {
  expect(listBundledPackages()).not.toContain('better-sqlite3');
});
