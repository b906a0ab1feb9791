import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The server behind poolers and proxies of PostgreSQL, which are programs of the system: `npm run test:poolers`. It is no project
 * of the main configuration, because `npm test` can leave out one project only.
 */
export default defineConfig({
  test: {
    name: 'poolers',
    root: local('..'),
    include: ['poolers/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
