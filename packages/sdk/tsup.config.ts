import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  explain: 'src/explain/index.ts',
  testing: 'src/testing/index.ts',
  validate: 'src/validate/index.ts',
  node: 'src/node/index.ts',
};

/** Builds each entry separately, so that it is self-contained: a receiver loads nothing of the client. */
function build(entry: keyof typeof entries, more: Options = {}): Options {
  return {
    entry: { [entry]: entries[entry] },
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    splitting: false,
    sourcemap: true,
    // Removes lists of the contract that an entry does not use, and unused imports.
    treeshake: { moduleSideEffects: false },
    // The contract is not a dependency: its constants are bundled.
    noExternal: ['@tradepost/contract'],
    ...more,
  };
}

/** Rarely needed code, such as error messages: separate files that are loaded on demand. */
const loadedOnDemand = ['explain-failure', 'raw-body', 'hmac-webcrypto'];

/** Keeps dynamic imports in the output, so that bundlers of applications create separate files too. */
const externalizeOnDemand = (
  extension: 'js' | 'cjs',
): NonNullable<Options['esbuildPlugins']>[number] => ({
  name: 'externalize-on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `${path}.${extension}`, external: true } : undefined,
    );
  },
});

/** Keeps imports of three files in the output: of the mock, of the probe, and of the client's entry. */
const externalizeEntries = (
  extension: 'js' | 'cjs',
): NonNullable<Options['esbuildPlugins']>[number] => ({
  name: 'externalize-entries',
  setup({ onResolve }) {
    onResolve({ filter: /^@tradepost\/sdk$|\/mock\/index$|\/probe-receiver$/ }, ({ path }) => {
      const [, name = 'index'] = /\/(mock|probe)\//.exec(path) ?? [];
      return { path: `./${name}.${extension}`, external: true };
    });
  },
});

/**
 * The helpers for tests. The mock and the probe are files of their own, which bundlers leave out for those who call neither. The mock
 * imports the client from the file that programs import too: with a copy, no error would be an instance of their classes.
 */
const testing = (['esm', 'cjs'] as const).flatMap((format): Options[] => {
  const options: Options = {
    format: [format],
    esbuildPlugins: [externalizeEntries(format === 'esm' ? 'js' : 'cjs')],
  };
  // With the rules of the service and their schemas, so that it needs no other package.
  const mock = { entry: { mock: 'src/testing/mock/index.ts' }, noExternal: [/./] };
  const probe = { entry: { probe: 'src/testing/probe/probe-receiver.ts' } };
  return [{}, mock, probe].map((more) => ({ ...build('testing', options), ...more }));
});

/**
 * Leaves out what ofetch uses for options that the client does not pass: its parsers of URLs and JSON, and the global
 * `Headers`, with which Node loads its own `fetch`, whether or not the client has another one.
 */
const leaveOutUnused: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'leave-out-unused',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(destr|ufo)$/ }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /[\\/]ofetch[\\/]dist[\\/]index\.mjs$/ }, ({ path }) => {
      const original = readFileSync(path, 'utf8');
      const contents = original.replace('_globalThis.Headers', 'null');
      if (contents === original) throw new Error(`${path} reads Headers in another way`);
      // Each line is where it was, so that the source map has the original.
      // cspell:ignore AACA
      const mappings = `AAAA${';AACA'.repeat(original.split('\n').length - 1)}`;
      const map = { version: 3, sources: ['index.mjs'], sourcesContent: [original], mappings };
      const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
      return { contents: `${contents}\n//# sourceMappingURL=${url}` };
    });
    onLoad({ filter: /^/, namespace: 'unused' }, () => ({
      contents:
        'export const withBase = undefined, withQuery = undefined; export default undefined;',
    }));
  },
};

/**
 * The part of ofetch that the client uses: its entry for browsers, because the one for Node brings another
 * `fetch`.
 */
const withOfetch: Options = {
  noExternal: [/./],
  esbuildPlugins: [leaveOutUnused],
  esbuildOptions(options) {
    options.conditions = ['browser'];
    options.chunkNames = '[name]';
  },
};

/**
 * The client in CommonJS. It loads ofetch with its first call by `require`, because some runtimes, such as the
 * one of Jest, have no `import()` there.
 */
const commonJsClient = build('index', {
  format: ['cjs'],
  esbuildPlugins: [
    {
      name: 'externalize-ofetch',
      setup({ onResolve }) {
        onResolve({ filter: /^\.\/ofetch$/ }, () => ({ path: './ofetch.cjs', external: true }));
      },
    },
  ],
  // Rollup would load it at once.
  treeshake: false,
  esbuildOptions(options) {
    options.supported = { ...options.supported, 'dynamic-import': false };
  },
});

/**
 * Builds declarations. What a program infers from a call is named by the file that declares it, and programs can import
 * entries only: so an entry declares itself whatever it exports, instead of in a chunk beside it. The client, which
 * has classes, is declared once: the other entries import it by the name of this package.
 */
function declarations(entry: Partial<typeof entries>): Options {
  return {
    entry,
    format: ['esm', 'cjs'],
    external: [/^@tradepost\/sdk/],
    dts: {
      only: true,
      compilerOptions: {
        // The declaration build sets an option that TypeScript 6 reports as deprecated.
        ignoreDeprecations: '6.0',
        stripInternal: true,
        // The declaration build inlines files of this package only; this path makes it inline the
        // contract's interfaces too.
        paths: {
          '@tradepost/sdk': ['./src/index.ts'],
          '@tradepost/sdk/webhooks': ['./src/webhooks/index.ts'],
          '@tradepost/contract/wire': ['../contract/dist/wire.d.ts'],
          '@tradepost/contract/attempt-errors': ['../contract/dist/attempt-errors.d.ts'],
        },
      },
    },
  };
}

export default defineConfig([
  // In three files: at the start, for the first call, and what both use.
  build('index', { ...withOfetch, format: ['esm'], splitting: true }),
  commonJsClient,
  {
    ...build('index', { ...withOfetch, format: ['cjs'] }),
    entry: { ofetch: 'src/http/ofetch.ts' },
  },
  build('webhooks', { format: ['esm'], esbuildPlugins: [externalizeOnDemand('js')] }),
  ...loadedOnDemand.map(
    (name): Options => ({
      ...build('webhooks', { format: ['esm'] }),
      entry: { [name]: `src/webhooks/${name}.ts` },
    }),
  ),
  // In one file: some CommonJS runtimes have no `import()`, and web pages do not use CommonJS.
  build('webhooks', { format: ['cjs'] }),
  build('explain'),
  ...testing,
  build('node', { platform: 'node' }),
  // Schemas are bundled too, so that validation needs no other package.
  build('validate', { noExternal: ['@tradepost/contract', 'zod'] }),
  // Each build has a file of its own for everything it declares.
  declarations({ index: entries.index }),
  declarations({ webhooks: entries.webhooks }),
  declarations({
    explain: entries.explain,
    testing: entries.testing,
    validate: entries.validate,
    node: entries.node,
  }),
]);
