import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../helpers/programs';

/** What a README's npm commands rely on. */
export interface Manifest {
  name: string;
  scripts?: Record<string, string>;
}

/** Reads the package.json of a folder of the checkout; of its root when the folder is `''`. */
export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(checkout, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The names of the packages that are published from here. */
export async function publishedNames(): Promise<string[]> {
  const folders = await readdir(join(checkout, 'packages'));
  const manifests = await Promise.all(folders.map((folder) => readManifest(`packages/${folder}`)));
  return manifests.map(({ name }) => name);
}
