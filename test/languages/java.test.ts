import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll } from 'vitest';
import { describeClient } from './harness/describe-client';
import { describeVerification } from './harness/describe-verification';
import { cacheFolder, documents, languageFolder } from './harness/folders';
import { makeOnce } from './harness/make-once';
import { type Program, run } from './harness/run-program';
import { describeLanguage } from './harness/toolchain';

const source = languageFolder('java');
const cache = cacheFolder('java');
const classes = join(cache, 'classes');
const programs = join(source, 'src/main/java/tradepost');

/** A class of the built programs. */
function java(className: string, args: readonly string[] = []): Program {
  // Maven has written it when the program runs.
  const dependencies = () => readFileSync(join(cache, 'classpath.txt'), 'utf8');
  return {
    command: 'java',
    // Without the compiler that takes long to optimize: these programs run for a second.
    get args() {
      const classPath = [classes, dependencies()].join(delimiter);
      return ['-XX:TieredStopAtLevel=1', '-cp', classPath, `tradepost.${className}`, ...args];
    },
  };
}

const build: Program = {
  command: 'mvn',
  args: ['--batch-mode', '--quiet', 'compile'],
  cwd: source,
};

describeLanguage(
  'Java',
  [
    ['java', '-version'],
    ['mvn', '--version'],
    ['cc', '--version'],
  ],
  () => {
    beforeAll(async () => {
      const files = readdirSync(programs).map((file) => join(programs, file));
      const inputs = [join(source, 'pom.xml'), documents['3.1'], documents.tolerant, ...files];
      await makeOnce(classes, inputs, () => run(build));
    });

    describeVerification('standardwebhooks 1.2.0', (file) => java('Verify', [file]));

    describeClient({
      title: 'openapi-generator 7.25.0 (java)',
      newer: java('PlainNewer'),
      outcomes: {
        field: { reads: /^\w+$/ },
        status: { rejects: /Unexpected value 'archived'/ },
        type: { rejects: /AccountEvent/ },
      },
    });

    describeClient({
      title: 'openapi-generator 7.25.0 (java), enumUnknownDefaultCase, useOneOfDiscriminatorLookup',
      job: java('Job'),
      newer: java('Newer'),
      outcomes: {
        field: { reads: /^\w+$/ },
        status: { reads: /^unknown_default_open_api$/ },
        type: { rejects: /AccountEvent/ },
      },
    });

    describeClient({
      title: 'openapi-generator 7.25.0 (java), from openapi-tolerant.json',
      newer: java('TolerantNewer'),
      outcomes: {
        field: { reads: /^\w+$/ },
        status: { reads: /^archived$/ },
        type: { reads: /^OtherEvent$/ },
      },
    });
  },
);
