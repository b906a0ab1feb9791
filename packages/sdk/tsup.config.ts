import { defineConfig, type Options } from 'tsup';

const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  testing: 'src/testing/index.ts',
  validate: 'src/validate/index.ts',
};

/** Each entry is built by itself, so that it stands alone: a receiver loads nothing of the client. */
function build(entry: keyof typeof entries, more: Options = {}): Options {
  return {
    entry: { [entry]: entries[entry] },
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    splitting: false,
    // Also drops the contract's lists that an entry does not use, and imports for nothing.
    treeshake: { moduleSideEffects: false },
    // The contract is a source, not a dependency: its constants are bundled in.
    noExternal: ['@tradepost/contract'],
    ...more,
  };
}

/** What few receivers need, such as words for a refusal: files that are loaded when they are needed. */
const later = ['explain', 'read-payload', 'check-on-the-web'];

/** Leaves these to the program that loads them: a bundler then makes files of their own of them too. */
const leaveForLater: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'leave-for-later',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `${path}.js`, external: true } : undefined,
    );
  },
};

export default defineConfig([
  build('index'),
  build('webhooks', { format: ['esm'], esbuildPlugins: [leaveForLater] }),
  ...later.map(
    (name): Options => ({
      ...build('webhooks', { format: ['esm'] }),
      entry: { [name]: `src/webhooks/${name}.ts` },
    }),
  ),
  // In one file: `import()` is not to be had wherever CommonJS is, and nobody bundles that for a page.
  build('webhooks', { format: ['cjs'] }),
  build('testing'),
  // Schemas are bundled too: whoever checks answers in staging installs nothing more.
  build('validate', { noExternal: ['@tradepost/contract', 'zod'] }),
  {
    entry: entries,
    format: ['esm', 'cjs'],
    dts: {
      only: true,
      compilerOptions: {
        // TypeScript 6 calls an option deprecated that the declaration build sets by itself.
        ignoreDeprecations: '6.0',
        stripInternal: true,
        // The contract's interfaces are inlined, which the declaration build does for what it takes
        // to be a file of this package.
        paths: { '@tradepost/contract/wire': ['../contract/dist/wire.d.ts'] },
      },
    },
  },
]);
