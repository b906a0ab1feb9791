import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The packed SDK in real projects of frameworks and tools: `npm run test:runtimes`. It is no project of the main configuration,
 * because `npm test` can leave out one project only.
 */
export default defineConfig({
  test: {
    name: 'runtimes',
    root: local('..'),
    include: ['runtimes/environments/**/*.test.ts'],
    globalSetup: [local('../helpers/seed.ts'), local('environments/pack-sdk.ts')],
    maxWorkers: 2,
    testTimeout: 120_000,
    // Each file installs a framework and builds a project with it.
    hookTimeout: 600_000,
  },
});
