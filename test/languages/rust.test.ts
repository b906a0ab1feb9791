import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { describeClient } from './harness/describe-client';
import { describeVerification } from './harness/describe-verification';
import { cacheFolder, languageFolder } from './harness/folders';
import { type Program, run } from './harness/run-program';
import { describeLanguage } from './harness/toolchain';

const cache = cacheFolder('rust');

const built = (name: string, args: readonly string[] = []): Program => ({
  command: join(cache, 'debug', name),
  args,
});

describeLanguage(
  'Rust',
  [
    ['cargo', '--version'],
    ['cc', '--version'],
  ],
  () => {
    beforeAll(async () => {
      const args = ['build', '--locked', '--quiet', '--target-dir', cache];
      await run({ command: 'cargo', args, cwd: languageFolder('rust') });
    });

    describeVerification('standardwebhooks 1.0.1', (file) => built('verify', [file]));

    describeClient({
      title: 'progenitor 0.15.1, without options',
      newer: built('plain'),
      outcomes: {
        field: { reads: /^\w+$/ },
        status: { rejects: /unknown variant `archived`/ },
        type: { rejects: /did not match any variant of untagged enum AccountEvent/ },
      },
    });

    describeClient({
      title: 'progenitor 0.15.1, with_replacement',
      job: built('job'),
      newer: built('job'),
      outcomes: {
        field: { reads: /^\w+$/ },
        status: { reads: /^archived$/ },
        type: { reads: /^Other\(.*order\.archived/ },
      },
    });
  },
);
