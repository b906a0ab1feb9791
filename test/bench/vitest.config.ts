import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * All benchmarks with quick sizes: `npm run test:bench`. They are no part of `npm test`, which has the tests of what users get; a
 * benchmark starts about sixty processes, one after the other.
 */
export default defineConfig({
  test: {
    name: 'bench',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['bench.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
