import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { createResource, loadOnce, type Resource } from './resource';

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** The folder that `scripts/build-api-docs.ts` writes. It is found from the sources and from the build alike. */
function findFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('@tradepost/server/package.json');
  return join(dirname(manifest), 'dist', 'api-docs');
}

/** Reads the page itself. It names the current assets, so clients must ask each time whether it has changed. */
export async function readPage(): Promise<Resource> {
  return createResource(await readFile(join(findFolder(), 'index.html')), {
    contentType: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
  });
}

async function readAsset(folder: string, file: string): Promise<Resource> {
  const [body, compressed] = await Promise.all([
    readFile(join(folder, file)),
    readFile(join(folder, `${file}.gz`)),
  ]);
  const headers = {
    contentType: contentTypes[extname(file)] ?? 'application/octet-stream',
    // The name has a hash of the content.
    cacheControl: 'public, max-age=31536000, immutable',
  };
  return createResource(body, headers, compressed);
}

/** Lists the assets of the page by file name, with a function for each that reads it once. */
export async function listAssets(): Promise<ReadonlyMap<string, () => Promise<Resource>>> {
  const folder = join(findFolder(), 'assets');
  const files = (await readdir(folder)).filter((file) => !file.endsWith('.gz'));
  return new Map(files.map((file) => [file, loadOnce(() => readAsset(folder, file))]));
}
