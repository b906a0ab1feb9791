import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', webhooks: 'src/webhooks/index.ts' },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  clean: true,
  // Each entry stands alone: a receiver loads nothing of the client.
  splitting: false,
  // Also drops the contract's lists that an entry does not use.
  treeshake: true,
  // The contract is a source, not a dependency: its constants are bundled in …
  noExternal: ['@tradepost/contract'],
  dts: {
    compilerOptions: {
      // TypeScript 6 calls an option deprecated that the declaration build sets by itself.
      ignoreDeprecations: '6.0',
      stripInternal: true,
      // … and its interfaces are inlined, which the declaration build does for what it takes to be
      // a file of this package.
      paths: { '@tradepost/contract/wire': ['../contract/dist/wire.d.ts'] },
    },
  },
});
