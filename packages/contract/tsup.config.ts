import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    schemas: 'src/schemas.ts',
    wire: 'src/wire.ts',
    'attempt-errors': 'src/deliveries/attempt-errors.ts',
    'hidden-characters': 'src/http/hidden-characters.ts',
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  clean: true,
  // Each entry is self-contained: importing only the wire entry loads one small file.
  splitting: false,
  sourcemap: true,
  // The declaration build sets an option that TypeScript 6 reports as deprecated.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
});
