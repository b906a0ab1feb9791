import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { writeManPages } from './scripts/write-man-pages';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const source = join(import.meta.dirname, 'src');

/** Loaded on demand: the commands, and what a command needs only sometimes. */
const loadedOnDemand = [
  'report/report-error',
  'output/print',
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
  },
};

const all: Options = {
  target: 'node20',
  platform: 'node',
  splitting: false,
  sourcemap: true,
  minifyWhitespace: true,
  minifySyntax: true,
  // Dependencies are bundled: the versions that were tested together, and a faster start.
  noExternal: [/./],
};

/**
 * Three bundles: the startup, the commands, and the libraries that only a few commands load. All are CommonJS,
 * because loading the ES module loader alone takes longer than the startup.
 */
export default defineConfig([
  { ...all, entry: ['src/main.ts'], format: ['cjs'], esbuildPlugins: [externalizeOnDemand] },
  {
    ...all,
    entry: { commands: 'src/command-tree.ts' },
    format: ['cjs'],
    esbuildPlugins: [bundleOnDemand],
    onSuccess: () => writeManPages('dist/man'),
  },
  // Without source maps: this is code of other projects, and its maps would double the size of the package.
  {
    ...all,
    entry: ['src/lazy/*.ts'],
    outDir: 'dist/lazy',
    format: ['cjs'],
    sourcemap: false,
    minifyIdentifiers: true,
  },
]);
