import { join } from 'node:path';
import { build } from 'esbuild';
import config from '../../packages/cli/tsup.config';
import { checkout } from '../helpers/programs';

/** The contents of the CLI's `dist`. */
interface BundleContents {
  /** Its files without extensions, such as `lazy/jq`. */
  files: string[];
  /** The packages whose code is included: a map from name to folder. */
  packages: Map<string, string>;
}

const root = join(checkout, 'packages/cli');
const inPackage = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

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
    for (const [file, { inputs }] of Object.entries(outputs)) {
      bundled.files.push(file.replace(/^dist\//, '').replace(/\.js$/, ''));
      for (const input of Object.keys(inputs)) {
        const [, folder, name] = inPackage.exec(input) ?? [];
        if (folder && name) bundled.packages.set(name, join(root, folder));
      }
    }
  }
  return bundled;
}
