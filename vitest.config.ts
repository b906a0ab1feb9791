import { defineConfig } from 'vitest/config';

/** Types are the product of these two: their `*.test-d.ts` files are tests like any other. */
const typeTests = {
  enabled: true,
  include: ['test/**/*.test-d.ts'],
  tsconfig: './tsconfig.json',
};

export default defineConfig({
  test: {
    // Stories mostly wait for processes of their own: every core can have one.
    maxWorkers: '100%',
    projects: [
      { test: { name: 'contract', root: 'packages/contract', typecheck: typeTests } },
      { test: { name: 'sdk', root: 'packages/sdk', typecheck: typeTests } },
      { test: { name: 'server', root: 'packages/server' } },
      { test: { name: 'cli', root: 'packages/cli' } },
      { test: { name: 'stories', root: 'test', testTimeout: 30_000, hookTimeout: 30_000 } },
    ],
  },
});
