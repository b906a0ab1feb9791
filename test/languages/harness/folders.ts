import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../helpers/programs';

/** The folder of a language: `python` has its programs and its manifest. */
export const languageFolder = (language: string): string =>
  join(checkout, 'test/languages', language);

/** A folder for what a language installs and builds. It is ignored by git, and kept for the next run. */
export function cacheFolder(language: string): string {
  const folder = join(checkout, 'test/languages/.cache', language);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const contractFolder = join(checkout, 'packages/contract');

/** The OpenAPI documents that the contract ships, from which the clients are generated. */
export const documents = {
  '3.1': join(contractFolder, 'openapi.json'),
  '3.0': join(contractFolder, 'openapi-3.0.json'),
  tolerant: join(contractFolder, 'openapi-tolerant.json'),
} as const;

/** The files of the contract's test vectors. */
export const vectorFiles: readonly string[] = readdirSync(join(contractFolder, 'vectors'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => join(contractFolder, 'vectors', name));
