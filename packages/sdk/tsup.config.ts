import { defineConfig, type Options } from 'tsup';

const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  testing: 'src/testing/index.ts',
  validate: 'src/validate/index.ts',
};

/** Builds each entry separately, so that it is self-contained: a receiver loads nothing of the client. */
function build(entry: keyof typeof entries, more: Options = {}): Options {
  return {
    entry: { [entry]: entries[entry] },
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    splitting: false,
    // Removes lists of the contract that an entry does not use, and unused imports.
    treeshake: { moduleSideEffects: false },
    // The contract is not a dependency: its constants are bundled.
    noExternal: ['@tradepost/contract'],
    ...more,
  };
}

/** Rarely needed code, such as error messages: separate files that are loaded on demand. */
const loadedOnDemand = ['explain', 'raw-body', 'hmac-webcrypto'];

/** Keeps dynamic imports in the output, so that bundlers of applications create separate files too. */
const externalizeOnDemand: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'externalize-on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `${path}.js`, external: true } : undefined,
    );
  },
};

export default defineConfig([
  build('index'),
  build('webhooks', { format: ['esm'], esbuildPlugins: [externalizeOnDemand] }),
  ...loadedOnDemand.map(
    (name): Options => ({
      ...build('webhooks', { format: ['esm'] }),
      entry: { [name]: `src/webhooks/${name}.ts` },
    }),
  ),
  // In one file: some CommonJS runtimes have no `import()`, and web pages do not use CommonJS.
  build('webhooks', { format: ['cjs'] }),
  build('testing'),
  // Schemas are bundled too, so that validation needs no other package.
  build('validate', { noExternal: ['@tradepost/contract', 'zod'] }),
  {
    entry: entries,
    format: ['esm', 'cjs'],
    dts: {
      only: true,
      compilerOptions: {
        // The declaration build sets an option that TypeScript 6 reports as deprecated.
        ignoreDeprecations: '6.0',
        stripInternal: true,
        // The declaration build inlines files of this package only; this path makes it inline the
        // contract's interfaces too.
        paths: { '@tradepost/contract/wire': ['../contract/dist/wire.d.ts'] },
      },
    },
  },
]);
