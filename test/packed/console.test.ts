import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';

const source = join(checkout, 'packages/console');
const packed = join(inject('packedPackages'), 'server/dist/console');

/** The parts of Vite that are used here. It is installed for the console alone. */
interface Vite {
  build(options: object): Promise<{
    output: (
      | { type: 'asset' }
      | { type: 'chunk'; modules: Record<string, { renderedLength: number }> }
    )[];
  }>;
}

/** Returns the name of the package that a file is of. */
const readPackageName = (file: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];

/** Lists what a built file of ours was made from: the SDK's include code of others. */
function listSources(file: string): string[] {
  if (!/\/packages\/\w+\/dist\//.test(file)) return [file];
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] };
  return sources;
}

/** Builds the console in memory, and returns the names of the packages whose code is in it. */
async function listBundledPackages(): Promise<string[]> {
  const vite = createRequire(join(source, 'package.json')).resolve('vite');
  const { build }: Vite = await import(pathToFileURL(vite).href);
  const { output } = await build({
    root: source,
    logLevel: 'silent',
    build: { write: false, license: false },
  });
  const modules = output.flatMap((part) =>
    part.type === 'chunk' ? Object.entries(part.modules) : [],
  );
  const names = modules
    .filter(([, { renderedLength }]) => renderedLength > 0)
    // Vite marks some with a query, and those that it creates with a null.
    .map(([id]) => id.replace(/\?.*/, '').replaceAll('\0', ''))
    .flatMap((id) => listSources(id).map(readPackageName));
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

test('the package has the console as it is built, without its sources', () => {
  const names = readdirSync(packed, { recursive: true, encoding: 'utf8' });
  const ofPage = ['THIRD-PARTY-NOTICES.txt', 'assets', 'index.html'];
  const icon = ['favicon.svg', 'favicon.svg.br', 'favicon.svg.gz'];
  expect(names.filter((name) => !name.startsWith('assets/')).sort()).toEqual(
    [...ofPage, ...icon].sort(),
  );
  const assets = names.filter((name) => name.startsWith('assets/'));
  const plain = assets.filter((name) => /-[\w-]{8}\.(js|css)$/.test(name));
  const copies = plain.flatMap((name) => [`${name}.br`, `${name}.gz`]);
  expect(assets.sort()).toEqual([...plain, ...copies].sort());
});

test('the notices of the console name exactly the packages whose code is in it', async () => {
  const notices = readFileSync(join(packed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const sections = notices.split(/^-{80}\n\n/m).slice(1);
  const named = sections.map((section) => section.slice(0, section.indexOf(' ')));
  expect(named.sort()).toEqual(await listBundledPackages());
  for (const section of sections) expect(section).toMatch(/permission/i);
});
