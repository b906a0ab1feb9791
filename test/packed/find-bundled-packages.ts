import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import config from '../../packages/cli/tsup.config';
import { checkout } from '../helpers/programs';

/** A package whose code is included. */
interface BundledPackage {
  folder: string;
  /** The files that include it, such as `lazy/jq`. */
  files: Set<string>;
}

/** The contents of the CLI's `dist`. */
interface BundleContents {
  /** Its files without extensions, such as `lazy/jq`. */
  files: string[];
  /** The packages whose code is included, by name. */
  packages: Map<string, BundledPackage>;
}

const root = join(checkout, 'packages/cli');
const inPackage = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Lists what a file was built from: a file of our own packages may include others. */
async function listSources(input: string): Promise<string[]> {
  const [, built] = /^(\.\.\/\w+)\/dist\//.exec(input) ?? [];
  if (built === undefined) return [input];
  const text = await readFile(join(root, input), 'utf8');
  return Array.from(text.matchAll(/^\/\/ (.*\/node_modules\/.+)$/gm), ([, path]) =>
    join(built, path ?? ''),
  );
}

/** Builds the CLI in memory as `tsup.config.ts` defines, and returns what the bundles contain. */
export async function findBundledPackages(): Promise<BundleContents> {
  const bundled: BundleContents = { files: [], packages: new Map() };
  for (const options of [config].flat()) {
    if (typeof options === 'function') throw new Error('tsup.config.ts is a function now.');
    const { entry, platform = 'node', target, format, esbuildPlugins = [] } = options;
    const { outputs } = (
      await build({
        entryPoints: Array.isArray(entry)
          ? entry
          : Object.entries(entry ?? {}).map(([out, file]) => ({ in: file, out })),
        ...(typeof target === 'string' ? { target } : {}),
        format: [format].flat()[0] === 'cjs' ? 'cjs' : 'esm',
        platform,
        plugins: esbuildPlugins,
        absWorkingDir: root,
        outdir: options.outDir ?? 'dist',
        bundle: true,
        metafile: true,
        write: false,
        logLevel: 'error',
      })
    ).metafile;
    for (const [path, { inputs }] of Object.entries(outputs)) {
      const file = path.replace(/^dist\//, '').replace(/\.js$/, '');
      bundled.files.push(file);
      const all = (await Promise.all(Object.keys(inputs).map(listSources))).flat();
      for (const input of all) {
        const [, folder, name] = inPackage.exec(input) ?? [];
        if (!(folder && name)) continue;
        const known = bundled.packages.get(name)?.files;
        bundled.packages.set(name, { folder: join(root, folder), files: new Set(known).add(file) });
      }
    }
  }
  return bundled;
}
