import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** Types are the product of these two: their `*.test-d.ts` files are tests like any other. */
const typeTests = {
  enabled: true,
  include: ['test/**/*.test-d.ts'],
  tsconfig: './tsconfig.json',
};

/** A guard against what hangs, not a promise of speed: machines are slow at times. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000 };

const setup = (name: string) =>
  fileURLToPath(new URL(`test/packaging/${name}.ts`, import.meta.url));

/** The SDK's tarball is made and installed once for all tests of a project; compilers take their time. */
const theSdkAsPublished = {
  globalSetup: [setup('install-sdk')],
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    // Stories mostly wait for processes of their own: every core can have one.
    maxWorkers: '100%',
    projects: [
      { test: { name: 'contract', root: 'packages/contract', typecheck: typeTests, ...patience } },
      { test: { name: 'sdk', root: 'packages/sdk', typecheck: typeTests, ...patience } },
      { test: { name: 'server', root: 'packages/server', ...patience } },
      { test: { name: 'cli', root: 'packages/cli', ...patience } },
      {
        test: {
          name: 'stories',
          root: 'test',
          exclude: [...configDefaults.exclude, 'packaging/**', 'runtimes/**'],
          ...patience,
        },
      },
      {
        test: {
          name: 'published',
          root: 'test',
          include: ['packaging/**/*.test.ts', 'runtimes/**/*.test.ts'],
          exclude: ['runtimes/browser.test.ts'],
          ...theSdkAsPublished,
          globalSetup: [setup('install-sdk'), setup('install-cli')],
        },
      },
      // Apart from the others, since it needs a browser: `npm test` leaves it out, `.ci/run` does not.
      {
        test: {
          name: 'browser',
          root: 'test',
          include: ['runtimes/browser.test.ts'],
          ...theSdkAsPublished,
        },
      },
    ],
  },
});
