import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const source = join(import.meta.dirname, 'src');
const require = createRequire(import.meta.url);
const requireOfSdk = createRequire(require.resolve('@tradepost/sdk/package.json'));

/** What a command line starts without: the commands, and what is loaded beside one. */
const later = [
  'report-error',
  'support/debug-record',
  ...readdirSync(join(source, 'commands'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `commands/${file.replaceAll('\\', '/').replace(/\.ts$/, '')}`),
];

/** In the start: what is imported dynamically is asked of the other file once it is needed. */
const leaveForLater: Plugin = {
  name: 'leave-for-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\// }, ({ kind, path }) => {
      const name = path.slice('./'.length);
      return kind === 'dynamic-import' && later.includes(name)
        ? { path: name, namespace: 'later' }
        : undefined;
    });
    onLoad({ filter: /./, namespace: 'later' }, ({ path }) => ({
      contents: `module.exports = require('./later.cjs')[${JSON.stringify(path)}]();`,
    }));
    onResolve({ filter: /^\.\/later\.cjs$/, namespace: 'later' }, ({ path }) => ({
      path,
      external: true,
    }));
  },
};

/** In the other file: everything by its name, each run when it is asked for and not before. */
const gatherLater: Plugin = {
  name: 'gather-later',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]src[\\/]command-tree\.ts$/ }, () => ({
      contents: later.map((name) => `exports['${name}'] = () => require('./${name}');`).join('\n'),
      resolveDir: source,
    }));
    onResolve({ filter: /^\.\.?\/apart\// }, ({ path }) => ({
      path: path.replace(/^\.+(.*)$/, '.$1.cjs'),
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
function escapeAdvice(file: string): void {
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
  { ...all, entry: ['src/main.ts'], format: ['cjs'], esbuildPlugins: [leaveForLater] },
  {
    ...all,
    entry: { later: 'src/command-tree.ts' },
    format: ['cjs'],
    esbuildPlugins: [gatherLater],
    onSuccess: async () => escapeAdvice(join(import.meta.dirname, 'dist/later.cjs')),
  },
  { ...all, entry: ['src/apart/*.ts'], outDir: 'dist/apart', format: ['cjs'] },
]);
