import { defineConfig } from 'vitest/config';

/** Types are the product of these two: their `*.test-d.ts` files are tests like any other. */
const typeTests = {
  enabled: true,
  include: ['test/**/*.test-d.ts'],
  tsconfig: './tsconfig.json',
};

/** A guard against what hangs, not a promise of speed: machines are slow at times. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    // Stories mostly wait for processes of their own: every core can have one.
    maxWorkers: '100%',
    projects: [
      { test: { name: 'contract', root: 'packages/contract', typecheck: typeTests, ...patience } },
      { test: { name: 'sdk', root: 'packages/sdk', typecheck: typeTests, ...patience } },
      { test: { name: 'server', root: 'packages/server', ...patience } },
      { test: { name: 'cli', root: 'packages/cli', ...patience } },
      { test: { name: 'stories', root: 'test', ...patience } },
    ],
  },
});
