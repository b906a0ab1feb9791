import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/schemas.ts', 'src/wire.ts'],
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  clean: true,
  // Each entry stands alone: what imports only the wire loads one small file.
  splitting: false,
  // TypeScript 6 calls an option deprecated that the declaration build sets by itself.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
});
