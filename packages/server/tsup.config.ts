import { defineConfig } from 'tsup';
import { buildApiDocs } from './scripts/build-api-docs';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    main: 'src/main.ts',
    'engine-thread-main': 'src/runtime/engine-thread-main.ts',
  },
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  clean: true,
  splitting: true,
  sourcemap: true,
  onSuccess: async () => buildApiDocs(),
  // The declaration build sets an option that TypeScript 6 reports as deprecated.
  dts: { entry: 'src/index.ts', compilerOptions: { ignoreDeprecations: '6.0' } },
});
