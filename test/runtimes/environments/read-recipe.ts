import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSnippets } from '../../docs/snippets';
import { checkout } from '../../helpers/programs';

/** The document whose snippets are the files of receivers in frameworks. */
const document = 'packages/sdk/RECIPES.md';

/** The sections of the document that have files: each file's text by its path, which its first line names. */
export function readRecipes(): Map<string, Record<string, string>> {
  const [, ...sections] = readFileSync(join(checkout, document), 'utf8').split(/^## /m);
  const recipes = new Map<string, Record<string, string>>();
  for (const section of sections) {
    const title = section.slice(0, section.indexOf('\n'));
    const files = findSnippets(document, section).map(({ code, line }) => {
      const path = /^\/\/ (\S+)\n/.exec(code)?.[1];
      if (path === undefined) {
        throw new Error(`${document}, ${title}: the snippet at line ${line} names no file.`);
      }
      return [path, code] as const;
    });
    if (files.length > 0) recipes.set(title, Object.fromEntries(files));
  }
  return recipes;
}

/** Returns the files of a section. Throws if there is none with this title. */
export function readRecipe(title: string): Record<string, string> {
  const files = readRecipes().get(title);
  if (files === undefined) throw new Error(`${document} has no files for ${title}.`);
  return files;
}

/** Replaces a part of a recipe. Throws if it is not there: the variant would be the recipe itself. */
export function replacePart(text: string, part: string | RegExp, replacement: string): string {
  const changed = text.replace(part, replacement);
  if (changed === text) throw new Error(`The recipe has no ${part}.`);
  return changed;
}
