import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * What every command prints, through pipes and on terminals of all widths: `npm run test:transcripts`. The unit tests have the
 * widths of what needs no service. These tests start two thousand processes, so they are no part of `npm test`.
 */
export default defineConfig({
  test: {
    name: 'transcripts',
    root: local('..'),
    include: ['e2e/cli/{every-command,support-day-on-terminal,terminal-widths}.test.ts'],
    globalSetup: [local('../helpers/seed.ts')],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
