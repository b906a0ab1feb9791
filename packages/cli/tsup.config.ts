import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { writeManPages } from './scripts/write-man-pages';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];
type Build = Parameters<Plugin['setup']>[0];

const source = join(import.meta.dirname, 'src');

const { resolve } = createRequire(import.meta.url);

/** The modules in a folder of the sources, without extensions: `commands/orders/list`. */
function listModules(folder: string): string[] {
  return readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file).replaceAll('\\', '/').replace(/\.ts$/, ''));
}

/** Half of the commands' code, which orders and notifications do not need. */
const isSeparate = (name: string) => /^commands\/(webhooks\/|doctor\/|mcp\/|api$)/.test(name);

const commands = listModules('commands');

/** Loaded on demand: the commands, and what a command needs only sometimes. */
const loadedOnDemand = ['report/report-error', 'output/print', 'client/debug-log', ...commands];

/** What the separate commands may use of the rest, each evaluated once for both. */
const shared = listModules('.').filter(
  (name) => name.includes('/') && !/^lazy\/|^output\/csv$/.test(name) && !isSeparate(name),
);

/** The name of the SDK among the modules of a bundle. */
const sdk = 'sdk';

/** In the startup bundle: a dynamic import requires the module from the bundle that has it. */
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
      contents: requireFrom(isSeparate(path) ? 'others' : 'commands', path),
    }));
    externalizeBundles(onResolve);
  },
};

function requireFrom(bundle: 'commands' | 'others', name: string): string {
  return `module.exports = require('./${bundle}.cjs')[${JSON.stringify(name)}]();`;
}

function externalizeBundles(onResolve: Build['onResolve']): void {
  onResolve({ filter: /^\.\/(commands|others)\.cjs$/ }, ({ path }) => ({ path, external: true }));
}

/** Creates a bundle of every module by name, each evaluated when it is first required. */
function bundleOnDemand(names: readonly string[]): Plugin {
  return {
    name: 'bundle-on-demand',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /[\\/]src[\\/]command-tree\.ts$/ }, () => ({
        contents: names
          .map((name) => `exports['${name}'] = () => require('./${name}');`)
          .join('\n'),
        resolveDir: source,
      }));
      // As an ES module, like everywhere else.
      onResolve({ filter: /^\.\/sdk$/ }, () => ({ path: sdk, namespace: sdk }));
      onLoad({ filter: /./, namespace: sdk }, () => ({
        contents: `export * from '@tradepost/sdk';`,
        resolveDir: source,
      }));
      onResolve({ filter: /^[./]+\/lazy\// }, ({ path }) => ({
        path: `./lazy/${basename(path)}.cjs`,
        external: true,
      }));
    },
  };
}

/** In the bundle of the other commands: what it shares is required from that of the first ones. */
const requireShared: Plugin = {
  name: 'require-shared',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const name = relative(source, join(resolveDir, path)).replaceAll('\\', '/');
      return shared.includes(name) ? { path: name, namespace: 'shared' } : undefined;
    });
    onResolve({ filter: /^@tradepost\/sdk$/ }, () => ({ path: sdk, namespace: 'shared' }));
    onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({
      contents: requireFrom('commands', path),
    }));
    externalizeBundles(onResolve);
  },
};

/** An error message of jq has `import "…"`, which publint takes for an ES module. */
const rewordJqMessage: Plugin = {
  name: 'reword-jq-message',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]jq-wasm[\\/]dist[\\/]index\.cjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import "jq-wasm', 'use "jq-wasm'),
    }));
  },
};

/** Copies the WebAssembly of jq to where its loader expects it. As a file it needs less space than as text in a script. */
async function copyJq(): Promise<void> {
  const binary = resolve('jq-wasm/jq.wasm');
  cpSync(binary, join('dist/lazy/build', basename(binary)));
}

/** Leaves the sources of other projects out of a map, which still names their files and lines. */
function omitForeignSources(name: string): void {
  const file = join('dist', `${name}.cjs.map`);
  const map: { sources: string[]; sourcesContent: (string | null)[] } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  map.sourcesContent = map.sourcesContent.map((content, index) =>
    map.sources[index]?.includes('/node_modules/') ? null : content,
  );
  writeFileSync(file, JSON.stringify(map));
}

const all: Options = {
  target: 'node20',
  platform: 'node',
  splitting: false,
  sourcemap: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  minifySyntax: true,
  // Dependencies are bundled: the versions that were tested together, and a faster start.
  noExternal: [/./],
};

/**
 * The startup, the commands in two bundles, since V8 needs 3 ms to compile 100 kB, and the libraries that only a few
 * commands load. All are CommonJS, because loading the ES module loader alone takes longer than the startup.
 */
export default defineConfig([
  {
    ...all,
    entry: ['src/main.ts'],
    format: ['cjs'],
    esbuildPlugins: [externalizeOnDemand],
    onSuccess: async () => omitForeignSources('main'),
  },
  {
    ...all,
    entry: { commands: 'src/command-tree.ts' },
    format: ['cjs'],
    esbuildPlugins: [bundleOnDemand([...shared, sdk])],
    async onSuccess() {
      omitForeignSources('commands');
      await writeManPages('dist/man');
    },
  },
  {
    ...all,
    entry: { others: 'src/command-tree.ts' },
    format: ['cjs'],
    esbuildPlugins: [requireShared, bundleOnDemand(commands.filter(isSeparate))],
    onSuccess: async () => omitForeignSources('others'),
  },
  // Without source maps: this is code of other projects, and its maps would double the size of the package.
  {
    ...all,
    entry: ['src/lazy/*.ts'],
    outDir: 'dist/lazy',
    format: ['cjs'],
    sourcemap: false,
    // Otherwise modules of Node have no aliases.
    removeNodeProtocol: false,
    esbuildPlugins: [rewordJqMessage],
    esbuildOptions(options) {
      const assert = resolve('../../scripts/plain-assert.cjs');
      // The ES module of jq finds the WebAssembly by `import.meta.url`, which a CommonJS script does not have.
      options.alias = { 'jq-wasm': resolve('jq-wasm'), assert, 'node:assert': assert };
    },
    onSuccess: copyJq,
  },
]);
