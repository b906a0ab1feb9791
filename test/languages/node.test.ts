import { join } from 'node:path';
import { describeVerification } from './harness/describe-verification';
import { languageFolder } from './harness/folders';
import { describeLanguage } from './harness/toolchain';

const program = join(languageFolder('node'), 'verify.mjs');

describeLanguage('Node', [['cc', '--version']], () => {
  describeVerification('standardwebhooks 1.1.1', (file) => ({
    command: process.execPath,
    args: [program, file],
  }));
});
