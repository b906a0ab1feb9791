import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { describeClient } from './harness/describe-client';
import { describeVerification } from './harness/describe-verification';
import { cacheFolder, documents, languageFolder } from './harness/folders';
import { type Program, run } from './harness/run-program';
import { describeLanguage } from './harness/toolchain';

const source = languageFolder('go');
const cache = cacheFolder('go');

const goTool = (args: readonly string[]): Program => ({ command: 'go', args, cwd: source });

const built = (name: string, args: readonly string[] = []): Program => ({
  command: join(cache, name),
  args,
});

describeLanguage('Go', [['go', 'version']], () => {
  beforeAll(async () => {
    // A module finds only packages of its own folder.
    const generated = join(source, 'generated/tradepost');
    mkdirSync(generated, { recursive: true });
    const output = join(generated, 'client.go');
    await run(
      goTool(['tool', 'oapi-codegen', '-config', 'oapi-codegen.yaml', '-o', output, documents['3.1']]),
    );
    await run(goTool(['vet', './...']));
    await run(goTool(['build', '-o', `${cache}/`, './verify', './job']));
  });

  describeVerification('standard-webhooks/libraries 0.0.1', (file) => built('verify', [file]));

  describeClient({
    title: 'oapi-codegen 2.8.2, skip-prune',
    job: built('job'),
    newer: built('job'),
    outcomes: {
      field: { reads: /^\w+$/ },
      status: { reads: /^archived, valid: false$/ },
      type: { reads: /^order\.archived, value: unknown discriminator value: order\.archived$/ },
    },
  });
});
