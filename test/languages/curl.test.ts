import { describeCodeSamples } from './harness/describe-code-samples';
import { describeLanguage } from './harness/toolchain';

describeLanguage('curl', [['curl', '--version']], () => {
  describeCodeSamples('curl', {
    createProgram: (_, source) => ({ command: 'sh', args: ['-c', source] }),
  });
});
