import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { createResource, loadOnce, type Resource } from './resource';

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

const cacheControls = {
  /** For files that name others by their hashes: clients ask each time whether they have changed. */
  checked: 'no-cache',
  /** For files whose names have a hash of their content. */
  immutable: 'public, max-age=31536000, immutable',
} as const;

/** A page of the build with its assets: `index.html`, `assets` and whatever else it has. */
export class PageFolder {
  readonly #folder: string;

  /** @param name Its name within `dist`. */
  constructor(name: string) {
    // Found from the sources and from the build alike.
    const manifest = createRequire(import.meta.url).resolve('@tradepost/server/package.json');
    this.#folder = join(dirname(manifest), 'dist', name);
  }

  /** Reads the page itself. */
  async readPage(change = (html: string) => html): Promise<Resource> {
    const html = await readFile(join(this.#folder, 'index.html'), 'utf8');
    return createResource(Buffer.from(change(html)), {
      contentType: 'text/html; charset=utf-8',
      cacheControl: cacheControls.checked,
    });
  }

  /** Reads a file beside the page that the build has compressed. */
  async readFile(path: string, cacheControl: string = cacheControls.checked): Promise<Resource> {
    const file = join(this.#folder, path);
    const [body, gzip, br] = await Promise.all([
      readFile(file),
      readFile(`${file}.gz`),
      readFile(`${file}.br`).catch(() => undefined),
    ]);
    const contentType = contentTypes[extname(file)] ?? 'application/octet-stream';
    return createResource(body, { contentType, cacheControl }, { gzip, br });
  }

  /** Lists the assets by file name, with a function for each that reads it once. */
  async listAssets(): Promise<ReadonlyMap<string, () => Promise<Resource>>> {
    const files = await readdir(join(this.#folder, 'assets'));
    return new Map(
      files
        .filter((file) => !/\.(gz|br)$/.test(file))
        .map((file) => [
          file,
          loadOnce(() => this.readFile(join('assets', file), cacheControls.immutable)),
        ]),
    );
  }
}
