import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Programs in other languages on the real server: `npm run test:languages`. It is no project of the main configuration, because
 * `npm test` can leave out one project only.
 */
export default defineConfig({
  test: {
    name: 'languages',
    root: local('..'),
    include: ['languages/*.test.ts'],
    globalSetup: [local('../helpers/seed.ts')],
    reporters: ['default', local('harness/table-reporter.ts')],
    maxWorkers: 2,
    testTimeout: 120_000,
    // The first run installs libraries and compiles clients.
    hookTimeout: 900_000,
  },
});
