import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../helpers/programs';

/** A fenced block of a README. */
export interface Snippet {
  /** The README's path from the root of the checkout, such as `packages/sdk/README.md`. */
  readme: string;
  /** The line of the opening fence, from 1. */
  line: number;
  /** The first word after the opening fence; empty when there is none. */
  language: string;
  /** What is between the fences, each line with its line break, without the fence's indentation. */
  code: string;
}

const fence = /^( *)(`{3,}|~{3,}) *([^\s`]*)[^`]*$/;

/**
 * Finds the fenced blocks of a README, in order. Throws an error with the line if a block is never
 * closed. Source: CommonMark, "Fenced code blocks".
 */
export function findSnippets(readme: string, text: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { snippet: Snippet; indent: number; marks: string } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, indent = '', marks = '', language = ''] = fence.exec(line) ?? [];
    if (open === undefined) {
      if (marks === '') continue;
      const snippet = { readme, line: index + 1, language, code: '' };
      open = { snippet, indent: indent.length, marks };
    } else if (marks.startsWith(open.marks) && line.trim() === marks) {
      snippets.push(open.snippet);
      open = undefined;
    } else {
      const inner = line.slice(Math.min(open.indent, line.search(/\S|$/)));
      open.snippet.code += `${inner}\n`;
    }
  }
  if (open !== undefined)
    throw new Error(`${readme}:${open.snippet.line} opens a block that is never closed.`);
  return snippets;
}

/**
 * What is done with a snippet: run it, run its commands, parse it, compare it with this workspace's own
 * settings, or only require that it is not empty. `foreign` programs run in the tests of other languages.
 */
export type Kind = 'program' | 'commands' | 'document' | 'setting' | 'foreign' | 'shown';

const kinds = new Map<string, Kind>([
  ['ts', 'program'],
  ['js', 'program'],
  ['sh', 'commands'],
  ['console', 'commands'],
  ['json', 'document'],
  ['yaml', 'setting'],
  ['python', 'foreign'],
  ['text', 'shown'],
  ['mermaid', 'shown'],
  ['', 'shown'],
]);

/** Returns what to do with a language; undefined if no test knows it. */
export function getKind(language: string): Kind | undefined {
  return kinds.get(language);
}

/** The languages in which snippets may be written. */
export const knownLanguages = [...kinds.keys()].filter((language) => language !== '');

/** A README with its snippets. */
export interface Readme {
  /** Its path from the root of the checkout. */
  name: string;
  snippets: Snippet[];
}

/**
 * Reads the README of the checkout, of the examples and of each package, and the other
 * documents for users of the packages, and the start pages of the site. Rejects when one is missing or has a block that is never closed.
 */
export async function readReadmes(): Promise<Readme[]> {
  const folders = await readdir(join(checkout, 'packages'));
  const packageReadmes = folders.sort().map((folder) => `packages/${folder}/README.md`);
  const startPages = await readdir(join(checkout, 'site/pages/start'));
  const names = [
    'README.md',
    'examples/README.md',
    ...packageReadmes,
    'packages/sdk/RECEIVING.md',
    'packages/sdk/CHECKING.md',
    ...startPages.sort().map((page) => `site/pages/start/${page}`),
  ];
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(checkout, name), 'utf8');
      return { name, snippets: findSnippets(name, text) };
    }),
  );
}
