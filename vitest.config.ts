import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { chromiumPath } from './test/helpers/chromium.ts';

const setupFile = (path: string) => fileURLToPath(new URL(`test/${path}.ts`, import.meta.url));

/** A guard against tests that hang, not a promise of speed: machines are slow at times. */
const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 };

/** Unit tests get the sources of all packages, never a build that may be older. */
const fromSources = {
  ssr: {
    resolve: { conditions: ['tradepost:source', 'node', 'development|production'] },
  },
};

/** Compilers and package managers take longer. */
const longTimeouts = { testTimeout: 120_000, hookTimeout: 120_000 };

/** Tests with state of their own in each file. They run after the others. */
const isolatedTests = { isolate: true, maxWorkers: 2, sequence: { groupOrder: 2 } };

/** Tests that install libraries and build projects with them. */
const slowInstallations = {
  ...isolatedTests,
  testTimeout: 120_000,
  hookTimeout: 900_000,
};

/** Type tests (`*.test-d.ts`) of the packages whose types are the product: they run the compiler. */
const typeTests = (name: string) => ({
  test: {
    name: `${name}-types`,
    root: `packages/${name}`,
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      checker: fileURLToPath(new URL('node_modules/.bin/tsc', import.meta.url)),
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
    exclude: [...configDefaults.exclude, slowTests, 'templates/**'],
    ...sharedModules,
    ...timeouts,
  },
});

/** Unit tests that start processes, wait for real time, compile, mock modules, or run long property tests. */
const slowTests = '**/*.slow.test.ts';
const slowUnitTests = (name: string) => ({
  ...fromSources,
  test: { name: `all-${name}`, root: `packages/${name}`, include: [slowTests], ...timeouts },
});

/**
 * These tests wait for processes of their own more than they compute, so four of them
 * overlap on two processors. They run after the unit tests, and each worker loads a module once.
 */
const waitingTests = { isolate: false, maxWorkers: 4, sequence: { groupOrder: 1 } };

/** Slow tests that run only through a proxy that validates requests and responses: a second time without it proves no more. */
const slowThroughPrism = [
  'e2e/cli/{help-examples,webhooks-recovery}.slow.test.ts',
  'e2e/examples/follow-an-order.slow.test.ts',
];

/** Tests across packages, which need the builds of all. */
const acrossPackages = (
  name: string,
  { globalSetup = [], ...options }: { include: string[]; globalSetup?: string[] } & object,
) => ({
  test: {
    name,
    root: 'test',
    globalSetup: ['helpers/seed', ...globalSetup].map(setupFile),
    ...waitingTests,
    ...timeouts,
    ...options,
  },
});

/** What most mistakes in the console are found by. `npm test` has it where Chromium is. */
const firstOfConsole = existsSync(chromiumPath) ? ['console/{sign-in,timeline}.test.ts'] : [];

// `npm test` runs the projects whose names do not begin with `all-`; `test/README.md` says how to run the others.
export default defineConfig({
  test: {
    // Tests wait for sockets and timers too, so more workers than processors overlap.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      ...['contract', 'domain', 'sdk', 'server', 'cli', 'console', 'create', 'conformance'].map(
        unitTests,
      ),
      ...['contract', 'sdk'].map(typeTests),
      ...['contract', 'sdk', 'server', 'cli', 'create', 'conformance'].map(slowUnitTests),
      acrossPackages('e2e', {
        include: ['{conformance,docs,e2e,helpers}/**/*.test.ts'],
        exclude: [...configDefaults.exclude, slowTests, 'conformance/html-report.test.ts'],
      }),
      acrossPackages('all-e2e', {
        include: [`{docs,e2e}/${slowTests}`],
        exclude: [...configDefaults.exclude, ...slowThroughPrism],
      }),
      // The conformance kit on services: it measures times, so it runs after the others. A run of it waits most of the time.
      acrossPackages('all-services', {
        include: [`conformance/${slowTests}`],
        maxConcurrency: 8,
        sequence: { groupOrder: 3 },
        testTimeout: 300_000,
      }),
      // What every command prints, through pipes and on terminals of all widths: two thousand processes.
      acrossPackages('all-transcripts', {
        include: ['transcripts/*.test.ts'],
        ...longTimeouts,
        ...isolatedTests,
      }),
      // All packages packed, and the SDK and the CLI installed from their tarballs, once for the project.
      acrossPackages('all-packages', {
        include: ['packed/**/*.test.ts', 'runtimes/*.test.ts'],
        exclude: ['runtimes/browser.test.ts'],
        globalSetup: ['packed/pack-packages', 'packed/install-sdk', 'packed/install-cli'],
        ...longTimeouts,
      }),
      // The console in Chromium, on real servers.
      acrossPackages('console-pages', { include: firstOfConsole, ...longTimeouts }),
      acrossPackages('all-console', {
        include: ['console/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...firstOfConsole],
        ...longTimeouts,
      }),
      // They need Chromium.
      acrossPackages('all-browser', {
        include: [
          '{api-docs,site}/**/*.test.ts',
          'conformance/html-report.test.ts',
          'runtimes/browser.test.ts',
        ],
        globalSetup: ['packed/install-sdk', 'site/build-site'],
        ...longTimeouts,
        // Some tests visit every page, or every operation.
        testTimeout: 300_000,
      }),
      // The packed SDK in real projects, each of which a test installs and builds. They need Redis.
      acrossPackages('all-runtimes', {
        include: ['runtimes/environments/**/*.test.ts'],
        globalSetup: ['runtimes/environments/pack-sdk'],
        ...slowInstallations,
      }),
      // Programs in other languages on the real server. The first run installs libraries and compiles clients.
      acrossPackages('all-languages', { include: ['languages/*.test.ts'], ...slowInstallations }),
      // Tests that together have every kind of request and response, through a proxy that validates them.
      acrossPackages('all-prism', {
        include: [
          'prism/*.test.ts',
          'e2e/main-job.test.ts',
          'e2e/cli/rejections.test.ts',
          ...slowThroughPrism,
        ],
        setupFiles: [setupFile('prism/use-prism')],
        ...longTimeouts,
      }),
      // The server behind PgBouncer and HAProxy, which are programs of the system.
      acrossPackages('all-poolers', {
        include: ['poolers/*.test.ts'],
        ...longTimeouts,
        ...isolatedTests,
      }),
      // All benchmarks with quick sizes: about sixty processes, one after the other.
      acrossPackages('all-bench', { include: ['bench/*.test.ts'] }),
    ],
  },
});
