import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const setupFile = (path: string) => fileURLToPath(new URL(`test/${path}.ts`, import.meta.url));

/** A guard against tests that hang, not a promise of speed: machines are slow at times. */
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 };

/** Unit tests get the sources of all packages, never a build that may be older. */
const fromSources = {
  ssr: {
    resolve: { conditions: ['tradepost:source', 'node', 'development|production'] },
  },
};

/** Compilers and package managers take longer. */
const longTimeouts = { testTimeout: 120_000, hookTimeout: 120_000 };

/** Type tests (`*.test-d.ts`) of the packages whose types are the product: they run the compiler. */
const typeTests = (name: string) => ({
  test: {
    name: `${name}-types`,
    root: `packages/${name}`,
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      include: ['test/**/*.test-d.ts'],
      tsconfig: './tsconfig.json',
    },
  },
});

/**
 * Runs the files of a project in threads without isolation, so that each thread loads a module once: that
 * saves about 40 % of the processor time. A file that mocks a module cannot run so; it belongs to a slow project.
 */
const sharedModules = { pool: 'threads', isolate: false } as const;

/** The unit tests of a package: they start no process and end at once. */
const unitTests = (name: string) => ({
  ...fromSources,
  test: {
    name,
    root: `packages/${name}`,
    exclude: [...configDefaults.exclude, slowTests],
    ...sharedModules,
    ...timeouts,
  },
});

/** Unit tests that start processes, wait for real time, compile, mock modules, or run long property tests. */
const slowTests = '**/*.slow.test.ts';
const slowUnitTests = (name: string) => ({
  ...fromSources,
  test: { name: `${name}-slow`, root: `packages/${name}`, include: [slowTests], ...timeouts },
});

/**
 * These tests wait for processes of their own more than they compute, so a few more of them than there are
 * processors overlap. They run after the unit tests, and each worker loads a module once.
 */
const waitingTests = { isolate: false, maxWorkers: 3, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    // Tests wait for sockets and timers too, so more workers than processors overlap.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      // Unit tests: they import `src` and need no build.
      ...['contract', 'domain', 'sdk', 'server', 'cli'].map(unitTests),
      typeTests('contract'),
      typeTests('sdk'),
      ...['contract', 'sdk', 'server', 'cli'].map(slowUnitTests),
      // End-to-end tests and docs: they start processes of the built packages.
      {
        test: {
          name: 'e2e',
          root: 'test',
          exclude: [
            ...configDefaults.exclude,
            'api-docs/**',
            'bench/bench.test.ts',
            'e2e/cli/{every-command,support-day-on-terminal,terminal-widths}.test.ts',
            'languages/**',
            'packages/**',
            'poolers/**',
            'prism/**',
            'runtimes/**',
          ],
          globalSetup: [setupFile('helpers/seed')],
          ...waitingTests,
          ...timeouts,
        },
      },
      // All packages packed, and the SDK and the CLI installed from their tarballs, once for the project.
      {
        test: {
          name: 'packages',
          root: 'test',
          include: ['packages/**/*.test.ts', 'runtimes/**/*.test.ts'],
          exclude: ['runtimes/browser.test.ts', 'runtimes/environments/**'],
          globalSetup: [
            setupFile('helpers/seed'),
            setupFile('packages/pack-packages'),
            setupFile('packages/install-sdk'),
            setupFile('packages/install-cli'),
          ],
          ...waitingTests,
          ...longTimeouts,
        },
      },
      // Separate, since it needs a browser: `npm test` leaves it out, `.ci/run` does not.
      {
        test: {
          name: 'browser',
          root: 'test',
          include: ['api-docs/**/*.test.ts', 'runtimes/browser.test.ts'],
          globalSetup: [setupFile('helpers/seed'), setupFile('packages/install-sdk')],
          ...waitingTests,
          ...longTimeouts,
        },
      },
    ],
  },
});
