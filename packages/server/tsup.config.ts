import { fileURLToPath } from 'node:url';
import { defineConfig, type Options } from 'tsup';
import { buildApiDocs } from './scripts/build-api-docs';
import { buildConsole } from './scripts/build-console';
import { writeNotices } from './scripts/write-notices';

const all: Options = {
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  splitting: true,
  // Optional dependencies, loaded only for traces. Unlike other dependencies they are not external by default.
  external: [/^@opentelemetry\//],
  sourcemap: true,
  // Otherwise modules of Node have no aliases.
  removeNodeProtocol: false,
  esbuildOptions(options) {
    const assert = fileURLToPath(import.meta.resolve('../../scripts/plain-assert.cjs'));
    options.alias = { assert, 'node:assert': assert };
    // Node prints the line of an error that ends the process.
    options.lineLimit = 500;
  },
};

/** Bundled CommonJS modules require modules of Node. */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

/** Keeps the import of undici in the output, from the file that its own build makes. */
const externalizeUndici: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'externalize-undici',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/undici$/ }, () => ({ path: './undici.js', external: true }));
  },
};

/** What other programs import, undici for it, and the program `tradepost-server`. */
export default defineConfig([
  {
    ...all,
    entry: ['src/index.ts'],
    clean: ['!program/**', '!undici.js', '!THIRD-PARTY-NOTICES.txt'],
    esbuildPlugins: [externalizeUndici],
    async onSuccess() {
      buildApiDocs();
      buildConsole();
    },
    // The declaration build sets an option that TypeScript 6 reports as deprecated.
    dts: {
      entry: 'src/index.ts',
      compilerOptions: {
        ignoreDeprecations: '6.0',
        // Only types of files outside node_modules are included.
        paths: {
          '@tradepost/domain/*': ['../domain/src/*'],
          '@tradepost/contract': ['../contract/dist/index.d.ts'],
          '@tradepost/contract/*': ['../contract/dist/*.d.ts'],
        },
      },
    },
  },
  {
    ...all,
    entry: ['src/engine/attempt/undici.ts'],
    // With the fix in `scripts/patches`, which an installed one does not have.
    noExternal: ['undici'],
    banner,
    // Programs with source maps enabled would read that of a library at the first error, which takes 50 MB.
    sourcemap: false,
    esbuildPlugins: [writeNotices('dist/THIRD-PARTY-NOTICES.txt')],
  },
  {
    ...all,
    entry: { main: 'src/main.ts', 'engine-thread-main': 'src/runtime/engine-thread-main.ts' },
    outDir: 'dist/program',
    clean: true,
    // Dependencies are bundled: the versions that were tested together, and a start without hundreds of files to find.
    // Except SQLite, which is native code, and OpenTelemetry.
    noExternal: [/^(?!better-sqlite3$|@opentelemetry\/)/],
    minifyWhitespace: true,
    minifySyntax: true,
    banner,
    esbuildPlugins: [writeNotices('dist/program/THIRD-PARTY-NOTICES.txt')],
  },
]);
