import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const setupFile = (path: string) => fileURLToPath(new URL(`test/${path}.ts`, import.meta.url));

/** A guard against tests that hang, not a promise of speed: machines are slow at times. */
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 };

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

/**
 * Unit tests that start processes, wait for real time, compile, or run long property tests, by package.
 * They form the projects `sdk-slow`, `server-slow` and `cli-slow`; `npm run test:unit` leaves these out.
 */
const slowTests = {
  sdk: [
    'test/api-report.test.ts',
    'test/dist.test.ts',
    'test/fuzz/fuzz.test.ts',
    'test/receiver/receiver.property.test.ts',
    'test/webhooks/verify-webhook.property.test.ts',
  ],
  server: [
    'test/commands/start-tls.test.ts',
    'test/commands/with-store.test.ts',
    'test/engine/attempt/hostile-responses.test.ts',
    'test/engine/attempt/local-faults.test.ts',
    'test/engine/attempt/send-memory.test.ts',
    'test/helpers/embedded-postgres.test.ts',
    'test/helpers/reachable-postgres.test.ts',
    'test/http/delivery-searches.test.ts',
    'test/kernel/log.test.ts',
    'test/kernel/log-destination.test.ts',
    'test/metrics/start.test.ts',
    'test/model/model.test.ts',
    'test/model/postgres-model.test.ts',
    'test/retention/small-steps.test.ts',
    'test/simulation/postgres-simulation.test.ts',
    'test/simulation/simulation.test.ts',
    'test/stores/postgres-store.test.ts',
    'test/stores/postgres/**',
    'test/stores/sqlite-store.test.ts',
    'test/stores/sqlite/abandoned-log.test.ts',
    'test/stores/sqlite/backup.test.ts',
    'test/stores/sqlite/delivery-search.test.ts',
    'test/stores/sqlite/migrating.test.ts',
    'test/stores/sqlite/opening.test.ts',
    'test/stores/sqlite/opening-errors.test.ts',
    'test/stores/sqlite/sharing.test.ts',
  ],
  cli: [
    'test/commands/orders/watch-changes.test.ts',
    'test/commands/webhooks/explain-curl.test.ts',
    // It mocks a module, so it needs a worker of its own.
    'test/commands/webhooks/secret.test.ts',
    'test/completion/completion.test.ts',
    'test/debug/debug.test.ts',
    'test/files/lock-file.test.ts',
    'test/man/man-pages.test.ts',
    'test/output/jq.test.ts',
    'test/report/failures.test.ts',
  ],
};

const slowProject = (name: keyof typeof slowTests) => ({
  test: {
    name: `${name}-slow`,
    root: `packages/${name}`,
    include: slowTests[name],
    ...timeouts,
  },
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
      {
        test: {
          name: 'contract',
          root: 'packages/contract',
          ...sharedModules,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'domain',
          root: 'packages/domain',
          ...sharedModules,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'sdk',
          root: 'packages/sdk',
          exclude: [...configDefaults.exclude, ...slowTests.sdk],
          ...sharedModules,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'server',
          root: 'packages/server',
          exclude: [...configDefaults.exclude, ...slowTests.server],
          ...sharedModules,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'cli',
          root: 'packages/cli',
          exclude: [...configDefaults.exclude, ...slowTests.cli],
          ...sharedModules,
          ...timeouts,
        },
      },
      typeTests('contract'),
      typeTests('sdk'),
      slowProject('sdk'),
      slowProject('server'),
      slowProject('cli'),
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
