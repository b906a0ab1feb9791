import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readRecipes } from './read-recipe';

test('every recipe has a test that installs it', async () => {
  const names = await readdir(new URL('.', import.meta.url));
  const texts = await Promise.all(
    names
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFile(new URL(name, import.meta.url), 'utf8')),
  );
  const tested = texts.flatMap((text) =>
    Array.from(text.matchAll(/readRecipe\('([^']+)'\)/g), ([, title]) => title),
  );
  expect([...readRecipes().keys()].sort()).toEqual([...new Set(tested)].sort());
});
