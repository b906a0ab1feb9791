import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../helpers/programs';

/** The part of a package.json that a README's npm commands need. */
export interface Manifest {
  name: string;
  scripts?: Record<string, string>;
}

/** Reads the package.json of a folder of the checkout. `''` is the root. */
export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(checkout, folder, 'package.json'), 'utf8')) as Manifest;
}

/** Reads the names of the packages that are published from here. */
export async function readPublishedNames(): Promise<string[]> {
  const folders = await readdir(join(checkout, 'packages'));
  const manifests = await Promise.all(folders.map((folder) => readManifest(`packages/${folder}`)));
  return manifests.map(({ name }) => name);
}
