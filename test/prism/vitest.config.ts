import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * End-to-end tests again, through a proxy that validates requests and responses: `npm run test:prism`. These are the tests that
 * send the most kinds of requests by the SDK, the CLI and the examples. It is no project of the main configuration, because
 * `npm test` can leave out one project only.
 */
export default defineConfig({
  test: {
    name: 'prism',
    root: local('..'),
    include: [
      'prism/*.test.ts',
      'e2e/{main-job,standardwebhooks-interop}.test.ts',
      'e2e/cli/{help-examples,rejections,support-day,watch,webhooks-recovery}.test.ts',
      'e2e/examples/{confirm-pending,express-receiver,follow-an-order}.test.ts',
    ],
    globalSetup: [local('../helpers/seed.ts')],
    setupFiles: [local('use-prism.ts')],
    // As in the project `e2e`: each worker loads a module once, and processes overlap.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
