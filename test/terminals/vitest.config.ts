import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The CLI on terminals of all widths: `npm run test:terminals`. The unit tests have the widths of what needs no service, and `e2e`
 * has every command on a terminal of 80 cells. These tests start a thousand processes, so they are no part of `npm test`.
 */
export default defineConfig({
  test: {
    name: 'terminals',
    root: local('..'),
    include: ['e2e/cli/{support-day-on-terminal,terminal-widths}.test.ts'],
    globalSetup: [local('../helpers/seed.ts')],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
