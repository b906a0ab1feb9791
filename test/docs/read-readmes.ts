import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../helpers/programs';
import { findSnippets, type Snippet } from './find-snippets';

/** A README with its snippets. */
export interface Readme {
  /** Its path from the root of the checkout. */
  name: string;
  snippets: Snippet[];
}

/**
 * Reads the README of the checkout, of the examples and of each package, and the other
 * documents for users of the packages. Rejects when one is missing or has a block that is never closed.
 */
export async function readReadmes(): Promise<Readme[]> {
  const folders = await readdir(join(checkout, 'packages'));
  const packageReadmes = folders.sort().map((folder) => `packages/${folder}/README.md`);
  return Promise.all(
    ['README.md', 'examples/README.md', ...packageReadmes, 'packages/sdk/RECEIVING.md'].map(
      async (name) => {
        const text = await readFile(join(checkout, name), 'utf8');
        return { name, snippets: findSnippets(name, text) };
      },
    ),
  );
}
