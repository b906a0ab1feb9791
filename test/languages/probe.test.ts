import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProbeDeclaration, probeReceiver } from '@tradepost/sdk/testing';
import { expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startProcess } from '../helpers/start-process';
import { cacheFolder, languageFolder } from './harness/folders';
import { readReceivingSnippets, receiverSecret } from './harness/receiver-sample';
import { type Program, run } from './harness/run-program';
import { describeLanguage } from './harness/toolchain';

/** Probes a receiver that prints its port. Returns the causes of its mistakes. */
async function findMistakes({ command, args }: Program, declare: ProbeDeclaration) {
  const env = { TRADEPOST_WEBHOOK_SECRET: receiverSecret };
  const receiver = forTest(startProcess(command, args, { env }), 'SIGKILL');
  const [port] = await receiver.writes(/^\d+$/m);
  const url = `http://127.0.0.1:${port}/webhooks`;
  const { counts, causes } = await probeReceiver({ url, secret: receiverSecret, declare });
  expect(counts.pass).toBeGreaterThan(40);
  return causes.filter(({ verdict }) => verdict === 'fail');
}

describeLanguage('Python', [['python3', '--version']], () => {
  it('the function of RECEIVING.md passes a probe that requires both signatures', async () => {
    const [snippet = ''] = readReceivingSnippets('python');
    const server = readFileSync(join(languageFolder('python'), 'probed.py'), 'utf8');
    const program = { command: 'python3', args: ['-c', `${snippet}\n\n${server}`] };
    expect(await findMistakes(program, { standardWebhooks: true })).toEqual([]);
  });
});

describeLanguage('Go', [['go', 'version']], () => {
  it('a receiver that verifies Service-Signature by hand passes a probe', async () => {
    const command = join(cacheFolder('go'), 'probed');
    const cwd = languageFolder('go');
    await run({ command: 'go', args: ['build', '-o', command, './probed'], cwd });
    expect(await findMistakes({ command, args: [] }, { signatureHeaderAlone: true })).toEqual([]);
  });
});
