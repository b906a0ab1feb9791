import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { defineConfig, type Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const source = join(import.meta.dirname, 'src');
const require = createRequire(import.meta.url);
const requireOfSdk = createRequire(require.resolve('@tradepost/sdk/package.json'));

/** Loaded on demand: the commands, and what a command needs only sometimes. */
const loadedOnDemand = [
  'report/report-error',
  'debug/debug-log',
  ...readdirSync(join(source, 'commands'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `commands/${file.replaceAll('\\', '/').replace(/\.ts$/, '')}`),
];

/** In the startup bundle: a dynamic import requires the module from the commands bundle. */
const externalizeOnDemand: Plugin = {
  name: 'externalize-on-demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\// }, ({ kind, path }) => {
      const name = path.slice('./'.length);
      return kind === 'dynamic-import' && loadedOnDemand.includes(name)
        ? { path: name, namespace: 'on-demand' }
        : undefined;
    });
    onLoad({ filter: /./, namespace: 'on-demand' }, ({ path }) => ({
      contents: `module.exports = require('./commands.cjs')[${JSON.stringify(path)}]();`,
    }));
    onResolve({ filter: /^\.\/commands\.cjs$/, namespace: 'on-demand' }, ({ path }) => ({
      path,
      external: true,
    }));
  },
};

/** In the commands bundle: every module by name, each evaluated when it is first required. */
const bundleOnDemand: Plugin = {
  name: 'bundle-on-demand',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]src[\\/]command-tree\.ts$/ }, () => ({
      contents: loadedOnDemand
        .map((name) => `exports['${name}'] = () => require('./${name}');`)
        .join('\n'),
      resolveDir: source,
    }));
    onResolve({ filter: /^[./]+\/lazy\// }, ({ path }) => ({
      path: `./lazy/${basename(path)}.cjs`,
      external: true,
    }));
    // As it is for Node it brings a fetch of its own, which every Node that this runs on has.
    const ofetch = join(dirname(requireOfSdk.resolve('ofetch')), 'index.mjs');
    onResolve({ filter: /^ofetch$/ }, () => ({ path: ofetch }));
  },
};

/**
 * The SDK advises a line of code that begins with `export`. Written with an escape it says the same, and
 * no checker takes the file for an ES module.
 */
function escapeExportHint(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(' export const ', ' export\\u0020const '));
}

const all: Options = {
  target: 'node20',
  platform: 'node',
  splitting: false,
  minifyWhitespace: true,
  minifySyntax: true,
  // Nothing is installed beside it: what it is made of was tested together, and starts faster so.
  noExternal: [/./],
};

/**
 * The start, the commands, and apart from them the libraries that few of them need. All of it is CommonJS,
 * since the loader of ES modules alone takes longer than all of the start.
 */
export default defineConfig([
  { ...all, entry: ['src/main.ts'], format: ['cjs'], esbuildPlugins: [externalizeOnDemand] },
  {
    ...all,
    entry: { commands: 'src/command-tree.ts' },
    format: ['cjs'],
    esbuildPlugins: [bundleOnDemand],
    onSuccess: async () => escapeExportHint(join(import.meta.dirname, 'dist/commands.cjs')),
  },
  { ...all, entry: ['src/lazy/*.ts'], outDir: 'dist/lazy', format: ['cjs'] },
]);
